import FerryCore
@testable import FerryStore
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Pages` {
    /// Twelve transfers: every third of session `b`, every fourth tagged `t`, 1 to 4 suspended, 5 to 6 succeeded.
    private func journal() async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let records = try (UInt64(1)...12).map {
            try Sample.record($0, session: $0 % 3 == 0 ? "b" : "a", tags: $0 % 4 == 0 ? ["t", "u"] : [])
        }
        try await Sample.insert(records, into: journal)
        try await journal.commit { transaction throws(TransferError) in
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
        Case(),
        Case(limit: 3),
        Case(limit: 0),
        Case(after: 3, limit: 3),
        Case(limit: 2, newestFirst: true),
        Case(after: 11, limit: 2, newestFirst: true),
        Case(session: "b"),
        Case(session: "b", phases: [.pending]),
        Case(phases: [.suspended, .succeeded], after: 2, limit: 3),
        Case(phases: [.suspended, .succeeded], limit: 3, newestFirst: true),
        Case(phases: Set(JournalPhase.allCases), limit: 2),
        Case(tag: "t"),
        Case(session: "a", phases: [.pending], tag: "t"),
        Case(tag: "t", after: 4, limit: 1, newestFirst: false),
        Case(tag: "none"),
        Case(phases: [.pending], excluding: [7, 9, 99]),
        Case(phases: [.pending], only: [1, 8, 12, 99]),
        Case(tag: "t", newestFirst: true, only: [1, 8, 12]),
        Case(only: []),
    ]

    @Test(arguments: cases)
    func `are found by index, without a scan and without sorting all`(one: Case) async throws {
        let filter = try one.filter
        let phase = one.phases.count == JournalPhase.allCases.count ? nil : one.phases.first
        let plan = try await journal().read { reader throws(TransferError) in
            let query = PageQuery(filter, phase: phase)
            var plan: [String] = []
            try reader.connection.forEachRow("EXPLAIN QUERY PLAN " + query.sql, query.arguments) { row in
                plan.append(row.text(3) ?? "")
            }
            return plan
        }
        let isUnfiltered = one.session == nil && phase == nil && one.tag == nil && one.only == nil
        for step in plan {
            // Without a filter the table itself is walked in order, up to the limit.
            #expect(isUnfiltered || !step.contains("SCAN t"), "\(plan)")
            if one.only == nil { #expect(!step.contains("TEMP B-TREE"), "\(plan)") }
        }
        if one.session != nil, phase != nil, one.tag == nil {
            #expect(plan.contains { $0.contains("transfers_session_phase (session=? AND phase=?") }, "\(plan)")
        }
    }
}
