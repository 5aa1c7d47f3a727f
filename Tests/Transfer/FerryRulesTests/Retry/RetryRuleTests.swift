import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Retry rule` {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    @Test(arguments: [(1, 0.5, 2.0), (2, 0.5, 6.0), (3, 0.5, 18.0), (4, 0.5, 20.0), (1, 0.0, 1.0), (5000, 0.5, 20.0)])
    func `delays grow by the rule`(failures: Int, random: Double, seconds: Double) {
        let rule = RetryRule(initialDelay: 2, multiplier: 3, maximumDelay: 20, jitter: 0.5)
        #expect(RetryDelay.seconds(afterFailures: failures, rule: rule, random: random) == seconds)
    }

    @Test func `76 without a rule the delay is the usual one`() {
        #expect(RetryDelay.seconds(afterFailures: 3, rule: nil, random: 0.5) == 4)
    }

    private func verdicts(_ error: ServiceError, _ rule: RetryRule, bytes: Int64 = 0, count: Int) -> [Bool] {
        var ledger = FailureLedger()
        return (0..<count).map { _ in
            ledger.attempted(AttemptCost(gained: bytes), now: now)
            if case .fail = ledger.failed(error, policy: RetryPolicy(rule: rule), now: now, random: 0.5) { return true }
            return false
        }
    }

    @Test func `attempts without a new byte are limited, others are not`() {
        let rule = RetryRule(maximumAttemptsWithoutProgress: 3)
        let lost = ServiceError(.connectionLost, "Lost.")
        #expect(verdicts(lost, rule, count: 3) == [false, false, true])
        #expect(!verdicts(lost, rule, bytes: 1, count: 10).contains(true))
        #expect(!verdicts(ServiceError(.hostNotFound, "Unknown."), RetryRule(), count: 50).contains(true))
    }

    @Test func `a status of the rule is tried again, another one is final`() {
        let rule = RetryRule(statusCodes: [404])
        func error(_ status: Int) -> ServiceError {
            ServiceError(.notFound, "Gone.", details: ErrorDetails(httpStatus: status))
        }
        #expect(verdicts(error(404), rule, count: 2) == [false, false])
        #expect(verdicts(error(410), rule, count: 1) == [true])
    }

    @Test func `no retry rule that the journal holds makes a delay that is no number`() {
        for initial in [-1, 0, 1e-300, 1, 1e300, .infinity] {
            for multiplier in [-1, 0, 1, 2, 1e308, .infinity] {
                for maximum in [-1, 0, 300, 1e300, .infinity] {
                    var rule = RetryRule(
                        initialDelay: initial, multiplier: multiplier, maximumDelay: maximum, jitter: 1e9)
                    rule.bringNumbersIntoRange(.clamp)
                    for count in [0, 1, 2, 1001, .max] {
                        let delay = RetryDelay.seconds(afterFailures: count, rule: rule, random: 0.999)
                        #expect(delay >= 0 && delay <= 2 * SettingRange<Double>.longest)
                    }
                }
            }
        }
    }
}
