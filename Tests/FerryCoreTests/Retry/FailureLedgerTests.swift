// Ferry: FerryCoreTests
// Which failure ends a transfer.

import FerryCore
import Foundation
import Testing

@Suite struct `Failure ledger` {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let patient = TransferError(.connectionLost, "The connection was lost.")
    private let doubtful = TransferError(.badResponse, "The response is malformed.")
    private let busy = TransferError(.serverBusy, "The server is busy.")
    private let broken = TransferError(.serverBusy, "The server failed.", as: .doubtful)

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

    @Test func `T1 waiting is not a failure`() {
        var ledger = FailureLedger()
        let full = TransferError(.diskFull, "The disk is full.")
        for _ in 0..<100 {
            #expect(ledger.failed(full, policy: RetryPolicy(retries: 0), now: now, random: 0) == .wait(full))
        }
        #expect(ledger.failures == 0 && ledger.failuresSinceByte == 0)
    }

    @Test func `a final failure ends the transfer at once`() {
        var ledger = FailureLedger()
        let refused = TransferError(.tlsCertificate, "The certificate is wrong.")
        #expect(ledger.failed(refused, policy: RetryPolicy(retries: 9), now: now, random: 0) == .fail(refused))
    }

    @Test func `T3 any byte sets the delay back`() {
        var ledger = FailureLedger()
        #expect([1, 2, 3].map { _ in delay(&ledger, patient) } == [1, 2, 4])
        ledger.stored(bytes: 0, now: now)
        #expect(delay(&ledger, patient) == 8)
        ledger.stored(bytes: 1, now: now)
        #expect(delay(&ledger, patient) == 1)
    }

    @Test(arguments: [(Int64(65_535), true), (65_536, false), (.max, false)])
    func `T3 the limits start again after 64 KiB`(bytes: Int64, ends: Bool) {
        var ledger = FailureLedger()
        for _ in 0..<5 { _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0) }
        ledger.stored(bytes: bytes, now: now)
        #expect(isFailure(ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)) == ends)
    }

    @Test func `T3 the end of the file starts the limits again`() {
        var ledger = FailureLedger()
        for _ in 0..<5 { _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0) }
        ledger.storedEnd(now: now)
        #expect(!isFailure(ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)))
    }

    @Test func `T5 the delay is never shorter than the server asked`() {
        var ledger = FailureLedger()
        let after = RetryAfter(parsing: "10", now: now)
        #expect(delay(&ledger, busy, after) == 10.5)
        for _ in 0..<5 { _ = delay(&ledger, busy, after) }
        #expect(delay(&ledger, busy, after) == 64)
    }

    @Test(arguments: [(6.9, false), (7.0, true), (8.0, true)])
    func `T6 seven days without progress end the transfer with its last failure`(days: Double, ends: Bool) {
        var ledger = FailureLedger()
        ledger.stored(bytes: 1, now: now)
        let later = now.addingTimeInterval(days * 86_400)
        for error in [patient, TransferError(.offline, "There is no network.")] {
            let verdict = ledger.failed(error, policy: RetryPolicy(), now: later, random: 0)
            #expect((verdict == .fail(error)) == ends)
        }
    }

    @Test func `T6 without progress the first failure begins the time`() {
        var ledger = FailureLedger()
        _ = ledger.failed(patient, policy: RetryPolicy(), now: now, random: 0)
        let later = now.addingTimeInterval(7 * 86_400)
        #expect(isFailure(ledger.failed(patient, policy: RetryPolicy(), now: later, random: 0)))
    }

    @Test func `T6 time that is left out does not count`() {
        var ledger = FailureLedger()
        ledger.stored(bytes: 1, now: now)
        ledger.leaveOut(seconds: 86_400)
        let later = now.addingTimeInterval(7.5 * 86_400)
        #expect(!isFailure(ledger.failed(patient, policy: RetryPolicy(), now: later, random: 0)))
    }

    @Test func `T6 zero means never`() {
        var ledger = FailureLedger()
        ledger.stored(bytes: 1, now: now)
        let later = now.addingTimeInterval(1e9)
        #expect(!isFailure(ledger.failed(patient, policy: RetryPolicy(giveUpAfter: 0), now: later, random: 0)))
    }

    @Test func `T12 a retry by the user begins anew`() {
        var ledger = FailureLedger()
        for _ in 0..<6 { _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0) }
        let later = now.addingTimeInterval(30 * 86_400)
        ledger.reset(now: later)
        let verdict = ledger.failed(doubtful, policy: RetryPolicy(), now: later, random: 0.5)
        var expected = doubtful
        expected.details.nextTryAt = later.addingTimeInterval(1)
        #expect(verdict == .retry(after: 1, expected))
    }

    @Test func `the ledger survives the journal`() throws {
        var ledger = FailureLedger()
        ledger.stored(bytes: 10, now: now)
        _ = ledger.failed(doubtful, policy: RetryPolicy(), now: now, random: 0)
        let copy = try JSONDecoder().decode(FailureLedger.self, from: JSONEncoder().encode(ledger))
        #expect(copy == ledger)
    }

    // MARK: Helpers

    /// How many tries are made until the same failure ends the transfer; nil if it does not.
    private func tries(before error: TransferError, _ policy: RetryPolicy, atMost limit: Int = 50) -> Int? {
        var ledger = FailureLedger()
        return (1...limit).first { _ in isFailure(ledger.failed(error, policy: policy, now: now, random: 0.5)) }
    }

    private func isFailure(_ verdict: FailureLedger.Verdict) -> Bool {
        if case .fail = verdict { true } else { false }
    }

    private func delay(_ ledger: inout FailureLedger, _ error: TransferError, _ after: RetryAfter? = nil) -> Double? {
        let verdict = ledger.failed(error, retryAfter: after, policy: RetryPolicy(), now: now, random: 0.5)
        if case .retry(let seconds, _) = verdict { return seconds } else { return nil }
    }
}
