import FerryCore
import FerryQueue
import FerryRules
import JournalKit
@testable import FerryStore
import Testing

/// The query plans of pages. The contents of pages are tested with both journals.
@Suite(.timeLimit(.minutes(1))) struct `Pages` {
    private static func filter(_ change: (inout JournalFilter) throws -> Void) rethrows -> JournalFilter {
        var filter = JournalFilter()
        try change(&filter)
        return filter
    }

    static let filters: [JournalFilter] = [
        filter { _ in },
        filter { $0.after = Sample.id(3) },
        filter { $0.newestFirst = true },
        filter {
            $0.after = Sample.id(11)
            $0.newestFirst = true
        },
        filter { $0.session = .cli },
        filter {
            $0.session = .cli
            $0.phases = [.pending]
        },
        filter {
            $0.phases = [.succeeded]
            $0.after = Sample.id(2)
            $0.newestFirst = true
        },
        filter { $0.tag = "t" },
        filter {
            $0.session = .cli
            $0.phases = [.pending]
            $0.tag = "t"
        },
        filter {
            $0.tag = "t"
            $0.after = Sample.id(4)
        },
        filter {
            $0.phases = [.pending]
            $0.excluding = [Sample.id(7)]
        },
        filter {
            $0.phases = [.pending]
            $0.only = [Sample.id(1), Sample.id(8)]
        },
        filter {
            $0.tag = "t"
            $0.newestFirst = true
            $0.only = [Sample.id(1)]
        },
    ]

    @Test(arguments: filters)
    func `are found by index, without a scan and without sorting all`(filter: JournalFilter) async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let phase = filter.phases.first
        let plan = try await journal.read { reader throws(ServiceError) in
            let query = PageQuery(filter, phase: phase)
            var plan: [String] = []
            try reader.connection.forEachRow("EXPLAIN QUERY PLAN " + query.sql, query.arguments) { row in
                plan.append(row.text(3) ?? "")
            }
            return plan
        }
        try #require(!plan.isEmpty)
        let isUnfiltered = filter.session == nil && phase == nil && filter.tag == nil && filter.only == nil
        for step in plan {
            // Without a filter, the table itself is scanned in order, up to the limit.
            #expect(isUnfiltered || !step.contains("SCAN t"), "\(plan)")
            if filter.only == nil { #expect(!step.contains("TEMP B-TREE"), "\(plan)") }
        }
        if filter.session != nil, phase != nil, filter.tag == nil {
            #expect(plan.contains { $0.contains("transfers_session_phase (session=? AND phase=?") }, "\(plan)")
        }
        await journal.close()
    }
}
