import FerryCore
import FerryQueue
import FerryRules
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Pages of both journals` {
    /// Twelve transfers: every third of session `b`, every fourth tagged `t`, 1 to 4 suspended, 5 to 6 succeeded.
    private func journal(_ kind: JournalKind) async throws -> any Journal {
        let journal = try kind.open()
        let records = try (UInt64(1)...12).map {
            try Sample.record($0, session: $0 % 3 == 0 ? "b" : "a", tags: $0 % 4 == 0 ? ["t", "u"] : [])
        }
        try await Sample.insert(records, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            for number in UInt64(1)...4 { try transaction.setIntent(Sample.id(number), .suspend) }
            for number in UInt64(5)...6 {
                try transaction.finish(
                    Sample.id(number), outcome: Sample.success, at: Sample.moment, facts: TransferFacts())
            }
        }
        return journal
    }

    struct Case: Sendable {
        var session: String?
        var phases: Set<JournalPhase> = []
        var tag: String?
        var after: UInt64?
        var limit = 100
        var newestFirst = false
        var excluding: [UInt64] = []
        var only: [UInt64]?
        var expected: [UInt64]

        var filter: JournalFilter {
            get throws {
                var filter = JournalFilter()
                filter.session = try session.map { try SessionID($0) }
                filter.phases = phases
                filter.tag = tag
                filter.after = after.map(Sample.id)
                filter.limit = limit
                filter.newestFirst = newestFirst
                filter.excluding = Set(excluding.map(Sample.id))
                filter.only = only.map { Set($0.map(Sample.id)) }
                return filter
            }
        }
    }

    static let cases: [Case] = [
        Case(expected: Array(1...12)),
        Case(limit: 3, expected: [1, 2, 3]),
        Case(limit: 0, expected: []),
        Case(after: 3, limit: 3, expected: [4, 5, 6]),
        Case(limit: 2, newestFirst: true, expected: [12, 11]),
        Case(after: 11, limit: 2, newestFirst: true, expected: [10, 9]),
        Case(session: "b", expected: [3, 6, 9, 12]),
        Case(session: "b", phases: [.pending], expected: [9, 12]),
        Case(phases: [.suspended, .succeeded], after: 2, limit: 3, expected: [3, 4, 5]),
        Case(phases: [.suspended, .succeeded], limit: 3, newestFirst: true, expected: [6, 5, 4]),
        Case(phases: Set(JournalPhase.allCases), limit: 2, expected: [1, 2]),
        Case(tag: "t", expected: [4, 8, 12]),
        Case(session: "a", phases: [.pending], tag: "t", expected: [8]),
        Case(tag: "t", after: 4, limit: 1, newestFirst: false, expected: [8]),
        Case(tag: "none", expected: []),
        Case(phases: [.pending], excluding: [7, 9, 99], expected: [8, 10, 11, 12]),
        Case(phases: [.pending], only: [1, 8, 12, 99], expected: [8, 12]),
        Case(tag: "t", newestFirst: true, only: [1, 8, 12], expected: [12, 8]),
        Case(only: [], expected: []),
    ]

    @Test(arguments: JournalKind.allCases, cases)
    func `show what the filter lets through, in order`(kind: JournalKind, one: Case) async throws {
        let filter = try one.filter
        let page = try await journal(kind).page(filter)
        #expect(page.map(\.id) == one.expected.map(Sample.id))
    }
}
