import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Failure ledger` {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let patient = ServiceError(.connectionLost, "The connection was lost.")
    private let doubtful = ServiceError(.badResponse, "The response is malformed.")
    private let busy = ServiceError(.serverBusy, "The server is busy.")
    private let broken = ServiceError(.serverBusy, "The server failed.", as: .doubtful)

    @Test func `T1 patient failures have no limit`() {
        #expect(tries(before: patient, RetryPolicy(), atMost: 1000) == nil)
    }

    @Test func `T1 doubtful failures end after five retries`() {
        #expect(tries(before: doubtful, RetryPolicy()) == 6)
        #expect(tries(before: broken, RetryPolicy()) == 6)
    }

    @Test(arguments: [0, 1, 3, 10])
    func `T1 retries replaces both limits`(retries: Int) {
        let policy = RetryPolicy(retries: retries)
        #expect(tries(before: patient, policy) == retries + 1)
        #expect(tries(before: doubtful, policy) == retries + 1)
        #expect(tries(before: busy, policy) == retries + 1)
    }

    @Test func `T1 retries counts failures of both classes together`() {
        var ledger = FailureLedger()
        let policy = RetryPolicy(retries: 3)
        let verdicts = [patient, doubtful, busy, patient].map { error in
            ledger.failed(error, policy: policy, now: now, random: 0.5)
        }
        #expect(verdicts.map(isFailure) == [false, false, false, true])
    }

    @Test func `T1 statusRetries limits busy servers alone`() {
        let policy = RetryPolicy(statusRetries: 2)
        #expect(tries(before: busy, policy) == 3)
        #expect(tries(before: broken, policy) == 3)
        #expect(tries(before: doubtful, policy) == 6)
        #expect(tries(before: patient, policy, atMost: 1000) == nil)
        #expect(tries(before: broken, RetryPolicy(statusRetries: 8)) == 9)
    }

    @Test func `T1 unreachable_retries limits what has a poor prospect alone`() {
        let policy = RetryPolicy(retries: 5, rule: RetryRule(unreachableRetries: 2))
        let refused = ServiceError(.connectFailed, "It refused.", details: ErrorDetails(errno: ECONNREFUSED))
        let poor = [
            refused, ServiceError(.hostNotFound, "No such host."), ServiceError(.tlsFailed, "TLS failed."),
            ServiceError(.proxyFailed, "The proxy refused.", details: ErrorDetails(errno: ECONNREFUSED)),
        ]
        for error in poor {
            #expect(tries(before: error, policy) == 3)
            #expect(tries(before: error, policy.afterBytes) == 6)
        }
        let away = ServiceError(.connectFailed, "No route.", details: ErrorDetails(errno: EHOSTUNREACH))
        for error in [away, patient, busy, ServiceError(.proxyFailed, "The proxy answered 503.")] {
            #expect(tries(before: error, policy) == 6)
        }
        // Without a rule from the client, nothing changes.
        #expect(tries(before: refused, RetryPolicy(), atMost: 1000) == nil)
        #expect(tries(before: poor[1], RetryPolicy()) == 6)
    }

    @Test func `T1 waiting is not a failure`() {
        var ledger = FailureLedger()
        let full = ServiceError(.diskFull, "The disk is full.")
        for _ in 0..<100 {
            #expect(ledger.failed(full, policy: RetryPolicy(retries: 0), now: now, random: 0) == .wait(full))
        }
        #expect(ledger.failures == 0 && ledger.failuresSinceByte == 0)
    }

    @Test func `a final failure ends the transfer at once`() {
        var ledger = FailureLedger()
        let refused = ServiceError(.tlsCertificate, "The certificate is wrong.")
        #expect(ledger.failed(refused, policy: RetryPolicy(retries: 9), now: now, random: 0) == .fail(refused))
    }

    @Test func `T3 any byte sets the delay back`() {
        var ledger = FailureLedger()
        #expect([1, 2, 3].map { _ in delay(&ledger, patient) } == [1, 2, 4])
        ledger.attempted(AttemptCost(), now: now)
        #expect(delay(&ledger, patient) == 8)
        ledger.attempted(AttemptCost(gained: 1), now: now)
        #expect(delay(&ledger, patient) == 1)
    }

    @Test(arguments: [(Int64(65_535), true), (65_536, false), (.max, false)])
    func `T3 the limits start again after 64 KiB`(bytes: Int64, ends: Bool) {
        var ledger = FailureLedger()
        for _ in 0..<5 { _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0) }
        ledger.attempted(AttemptCost(gained: bytes), now: now)
        #expect(isFailure(ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)) == ends)
    }

    @Test func `T3 the end of the file starts the limits again`() {
        var ledger = FailureLedger()
        for _ in 0..<5 { _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0) }
        ledger.attempted(AttemptCost(gained: 1, isWhole: true), now: now)
        #expect(!isFailure(ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)))
    }

    @Test func `T5 the delay is never shorter than the server asked`() {
        var ledger = FailureLedger()
        let after = RetryAfter(parsing: "10", now: now)
        #expect(delay(&ledger, busy, after) == 10.5)
        for _ in 0..<5 { _ = delay(&ledger, busy, after) }
        #expect(delay(&ledger, busy, after) == 64)
    }

    // MARK: Time in vain

    /// An event in a transfer's history. Times are in seconds.
    enum Happening: Sendable {
        /// An attempt without progress.
        case failure(took: Double)
        /// An attempt that finds a reason to wait.
        case obstacle
        /// An attempt that stores bytes and then fails.
        case progress
        /// The time until the next attempt.
        case time(Double)
    }

    private static let day = 86_400.0

    @Test(
        arguments: [
            ([.failure(took: 0), .failure(took: 6.9 * day)], false),
            ([.failure(took: 0), .failure(took: 7 * day)], true),
            ([.failure(took: 0), .failure(took: 4 * day), .failure(took: 3 * day)], true),
            // The first failure starts the clock.
            ([.failure(took: 30 * day), .failure(took: 0)], false),
            ([.failure(took: 0), .failure(took: 6 * day), .progress, .failure(took: 6 * day)], false),
            ([.failure(took: 0), .failure(took: 6 * day), .obstacle, .failure(took: 2 * day)], true),
            // Between two attempts, only the retry delay counts.
            ([.failure(took: 0), .time(30 * day), .failure(took: 0)], false),
            ([.failure(took: 0), .obstacle, .time(30 * day), .obstacle, .time(30 * day), .failure(took: 0)], false),
            ([.failure(took: 0), .failure(took: 7 * day - 1.5), .time(1), .failure(took: 0)], false),
            ([.failure(took: 0), .failure(took: 7 * day - 1.5), .time(2), .failure(took: 0)], true),
            // Setting the wall clock back subtracts nothing.
            ([.failure(took: 0), .time(-30 * day), .failure(took: 7 * day)], true),
        ] as [([Happening], Bool)])
    func `T6 attempts and delays count from the first failure on, and no wait does`(
        happenings: [Happening], ends: Bool
    ) throws {
        var ledger = FailureLedger()
        var now = now
        var verdict = FailureLedger.Verdict.wait(patient)
        for happening in happenings {
            switch happening {
            case .failure(let seconds):
                now.addTimeInterval(seconds)
                ledger.attempted(AttemptCost(seconds: seconds), now: now)
                verdict = ledger.failed(patient, policy: RetryPolicy(), now: now, random: 0.5)
            case .obstacle:
                let offline = ServiceError(.offline, "There is no network.")
                ledger.attempted(AttemptCost(), now: now)
                #expect(ledger.failed(offline, policy: RetryPolicy(), now: now, random: 0.5) == .wait(offline))
            case .progress:
                ledger.attempted(AttemptCost(gained: 1, seconds: Self.day), now: now)
                verdict = ledger.failed(patient, policy: RetryPolicy(), now: now, random: 0.5)
            case .time(let seconds): now.addTimeInterval(seconds)
            }
            ledger = try JSONDecoder().decode(FailureLedger.self, from: JSONEncoder().encode(ledger))
        }
        #expect(isFailure(verdict) == ends)
    }

    @Test func `T6 zero means never`() {
        var ledger = FailureLedger()
        for _ in 0..<3 {
            ledger.attempted(AttemptCost(seconds: 1e9), now: now)
            #expect(!isFailure(ledger.failed(patient, policy: RetryPolicy(giveUpAfter: 0), now: now, random: 0)))
        }
    }

    /// An earlier version stored the time of the last progress, which also counted waits.
    @Test func `T6 a ledger of an older journal begins its time anew`() throws {
        let old = """
            {"failuresSinceByte":3,"failures":3,"doubtfulFailures":0,"statusFailures":0,"bytesSinceFailure":0,\
            "lastProgressAt":0}
            """
        var ledger = try JSONDecoder().decode(FailureLedger.self, from: Data(old.utf8))
        #expect(!isFailure(ledger.failed(patient, policy: RetryPolicy(), now: now, random: 0)))
    }

    @Test func `the ledger survives the journal`() throws {
        var ledger = FailureLedger()
        ledger.attempted(AttemptCost(gained: 10), now: now)
        _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)
        let copy = try JSONDecoder().decode(FailureLedger.self, from: JSONEncoder().encode(ledger))
        #expect(copy == ledger)
    }

    // MARK: Helpers

    /// Returns the number of attempts until the same failure is final, or `nil` if it never is.
    private func tries(before error: ServiceError, _ policy: RetryPolicy, atMost limit: Int = 50) -> Int? {
        var ledger = FailureLedger()
        return (1...limit).first { _ in isFailure(ledger.failed(error, policy: policy, now: now, random: 0.5)) }
    }

    private func isFailure(_ verdict: FailureLedger.Verdict) -> Bool {
        if case .fail = verdict { true } else { false }
    }

    private func delay(_ ledger: inout FailureLedger, _ error: ServiceError, _ after: RetryAfter? = nil) -> Double? {
        let verdict = ledger.failed(error, retryAfter: after, policy: RetryPolicy(), now: now, random: 0.5)
        if case .retry(let seconds, _) = verdict { return seconds } else { return nil }
    }
}
