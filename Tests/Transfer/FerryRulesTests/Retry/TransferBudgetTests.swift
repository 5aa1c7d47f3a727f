import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Transfer budget` {
    private static let slack = TransferBudget.slack
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func fault(_ costs: [AttemptCost], expectedSize: Int64? = nil) -> ServiceError? {
        var budget = TransferBudget()
        for cost in costs { budget.add(cost) }
        return budget.fault(expectedSize: expectedSize, url: "http://u:p@a.example/f?key=secret")
    }

    @Test(
        arguments: [
            (AttemptCost(spent: 5 << 30, gained: 5 << 30, frontier: 5 << 30), nil, false),
            (AttemptCost(spent: slack), nil, false),
            (AttemptCost(spent: slack + 1), nil, true),
            (AttemptCost(spent: slack + 11_000, gained: 1000, frontier: 1000), nil, false),
            (AttemptCost(spent: slack + 11_001, gained: 1000, frontier: 1000), nil, true),
            (AttemptCost(spent: slack + 5000), 500, false),
            (AttemptCost(spent: slack + 5001), 500, true),
            (AttemptCost(starts: 100), nil, false),
            (AttemptCost(starts: 101), nil, true),
            (AttemptCost(spent: .max, frontier: .max), .max, false),
            (AttemptCost(spent: .max), nil, true),
            (AttemptCost(spent: 0, gained: .max), nil, false),
        ] as [(AttemptCost, Int64?, Bool)])
    func `ends a transfer at ten times its bytes and 64 MiB, or at a hundred starts`(
        cost: AttemptCost, expectedSize: Int64?, isOver: Bool
    ) {
        #expect((fault([cost], expectedSize: expectedSize)?.code == .budgetExceeded) == isOver)
    }

    @Test func `attempts add up, and the largest of them counts`() {
        let long = AttemptCost(spent: 1 << 30, gained: 1 << 30, frontier: 1 << 30)
        let vain = AttemptCost(spent: 1 << 30, frontier: 5)
        #expect(fault([long] + Array(repeating: vain, count: 10)) == nil)
        #expect(fault([long] + Array(repeating: vain, count: 11)) != nil)
        #expect(fault([AttemptCost(spent: .max), AttemptCost(spent: .max)]) != nil)
    }

    /// A bad network breaks a transfer's connection a thousand times. Each attempt continues where the last one
    /// stopped.
    @Test func `attempts that go on never use it up`() {
        let attempts = (1...1000).map {
            AttemptCost(spent: 1 << 20, gained: 1 << 20, frontier: Int64($0) << 20)
        }
        #expect(fault(attempts) == nil)
    }

    @Test func `its failure is final, and names no secret`() throws {
        let error = try #require(fault([AttemptCost(starts: 101)]))
        #expect(error.errorClass == .final)
        #expect(!error.message.contains("secret") && !error.message.contains("u:p"))
        #expect(error.message.contains("a.example"))
    }

    // MARK: In the ledger

    @Test func `a ledger keeps what is received in vain`() throws {
        var ledger = FailureLedger()
        ledger.attempted(AttemptCost(spent: 10, gained: 10, frontier: 10), now: now)
        #expect(ledger.budget == nil)
        ledger.attempted(AttemptCost(spent: 30, gained: 10, frontier: 20), now: now)
        #expect(ledger.budget?.wasted == 20 && ledger.budget?.frontier == 20)
        let copy = try JSONDecoder().decode(FailureLedger.self, from: JSONEncoder().encode(ledger))
        #expect(copy == ledger)
    }

    @Test func `a ledger of an older journal has none`() throws {
        let old = #"{"failuresSinceByte":1,"failures":2,"doubtfulFailures":1,"statusFailures":0,"bytesSinceFailure":5}"#
        let ledger = try JSONDecoder().decode(FailureLedger.self, from: Data(old.utf8))
        #expect(ledger.failures == 2 && ledger.budget == nil)
    }

    /// A regression: adding one start to such a count trapped, at each start of the daemon again.
    @Test func `a count of an edited journal leaves room for another start`() throws {
        let edited = #"""
            {"failuresSinceByte":1,"failures":2,"doubtfulFailures":1,"statusFailures":0,"bytesSinceFailure":5,
            "budget":{"wasted":-1,"frontier":9223372036854775807,"starts":9223372036854775807}}
            """#
        var record = TransferRecord(
            id: TransferID(rawValue: 7), createdAt: now, request: TransferRequest(url: "http://a/", folder: "/d"),
            credentials: nil)
        record.failures = try JSONDecoder().decode(FailureLedger.self, from: Data(edited.utf8))
        record.clampNumbers()
        record.failures.attempted(AttemptCost(spent: 1, starts: 1), now: now)
        #expect(record.failures.budget?.wasted == 1 && record.failures.budget?.starts == Int(Int32.max) + 1)
    }
}

@Suite struct `Attempt limits` {
    @Test func `an attempt makes sixteen requests, and one more for each 64 KiB that it gains`() {
        var limits = AttemptLimits()
        let first = (0..<16).map { _ in limits.takesRequest(gained: 0) }
        #expect(first == Array(repeating: true, count: 16))
        let later = [65_535, 2 * 65_536, 2 * 65_536].map { limits.takesRequest(gained: $0) }
        #expect(later == [false, true, false])
    }

    @Test func `an attempt begins the file once`() {
        var limits = AttemptLimits()
        let starts = (0..<3).map { _ in limits.takesStart() }
        #expect(starts == [true, false, false])
    }
}
