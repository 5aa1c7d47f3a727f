import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

/// Readings that advance page by page, each from the last row of the page before.
///
/// A regression: with an index damaged so that it leads back, they read the same page forever.
@Suite(.timeLimit(.minutes(1))) struct `Pages through a damaged index` {
    private static let count: UInt64 = 12
    /// An expression for the ids in reverse order.
    private static let fallingID = "\(Sample.id(1).column + Sample.id(count).column) - id"
    /// Reads the page after a row and returns its last row.
    private typealias Page = @Sendable (any JournalReader, Int64?) throws(ServiceError) -> Int64?

    private func journal() async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let records = try (1...Self.count).map { number in
            var record = try Sample.record(number)
            record.request.timing.deadline = Sample.moment + Double(number)
            return record
        }
        try await Sample.insert(records, into: journal)
        let session = records[0].request.session
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvents(kind: .submitted, at: Sample.moment, ids: records.map(\.id), session: session)
        }
        return journal
    }

    /// Gives an index the pages of one with a last column that decreases as the row numbers increase.
    private func leadBack(
        _ index: String, of table: String = "transfers", _ columns: String, falling: String,
        where condition: String = ""
    ) -> [String] {
        [
            "CREATE INDEX other ON \(table) (\(columns), (\(falling))) \(condition)",
            "PRAGMA writable_schema = ON",
            """
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'other') \
            WHERE name = '\(index)'
            """,
            "DELETE FROM sqlite_schema WHERE name = 'other'",
            "PRAGMA writable_schema = RESET",
        ]
    }

    private func damage(_ journal: any Journal, _ steps: [String]) async throws {
        try await journal.commit { transaction throws(ServiceError) in
            for step in steps { try transaction.connection.execute(step) }
        }
    }

    /// Reads page after page. Fails the test if there are more pages than rows.
    private func read(
        _ journal: any Journal, _ page: @escaping Page
    ) async -> ErrorCode? {
        do throws(ServiceError) {
            var last: Int64?
            for _ in 0...Self.count {
                let before = last
                last = try await journal.read { reader throws(ServiceError) in try page(reader, before) }
                if last == nil { return nil }
            }
            Issue.record("There are more pages than rows.")
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `of moments end with the error of the journal`() async throws {
        let journal = try await journal()
        let page: Page = { reader, last throws(ServiceError) in
            let before = last.map { last in
                DueTransfer(
                    id: TransferID(column: last),
                    due: Sample.moment + Double(TransferID(column: last).rawValue - Sample.id(0).rawValue))
            }
            return try reader.due(after: before, through: .distantFuture, limit: 4).last?.id.column
        }
        #expect(await read(journal, page) == nil)
        try await damage(
            journal,
            [
                "PRAGMA writable_schema = ON",
                "UPDATE sqlite_schema SET sql = replace(sql, '(due)', '(due DESC)') WHERE name = 'transfers_due'",
                "PRAGMA writable_schema = RESET",
            ])
        #expect(await read(journal, page) == .journalFailed)
        await journal.close()
    }

    /// A date has 53 bits of precision, the column 63.
    @Test func `are whole where moments are so far away that dates do not tell them apart`() async throws {
        let journal = try await journal()
        try await damage(
            journal,
            [
                "UPDATE transfers SET due = 9223372036854775800 WHERE id = \(Sample.id(5).column)",
                "UPDATE transfers SET due = 9223372036854775801 WHERE id = \(Sample.id(3).column)",
            ])
        let found = try await journal.read { reader throws(ServiceError) in
            try reader.due(after: nil, from: nil, through: .distantFuture, limit: 20)
        }
        #expect(found.count == 10)
        let all = try await journal.read { reader throws(ServiceError) in
            try reader.due(
                after: nil, from: nil, through: Date(timeIntervalSince1970: 1e18), limit: 20)
        }
        #expect(all.suffix(2).map(\.id) == [5, 3].map(Sample.id))
        await journal.close()
    }

    @Test(arguments: [false, true])
    func `of a list end with the error of the journal`(newestFirst: Bool) async throws {
        let journal = try await journal()
        let page: Page = { reader, last throws(ServiceError) in
            var filter = JournalFilter()
            filter.phases = [.pending]
            filter.limit = 4
            filter.newestFirst = newestFirst
            filter.after = last.map(TransferID.init(column:))
            return try reader.page(filter).last?.id.column
        }
        #expect(await read(journal, page) == nil)
        try await damage(journal, leadBack("transfers_phase", "phase", falling: Self.fallingID))
        #expect(await read(journal, page) == .journalFailed)
        await journal.close()
    }

    @Test func `of a line end with the error of the journal`() async throws {
        let journal = try await journal()
        let line = try #require(
            try await journal.read { reader throws(ServiceError) in try reader.lines().lines.first })
        let page: Page = { reader, last throws(ServiceError) in
            try reader.ids(in: line, after: last.map(TransferID.init(column:)), through: Sample.id(99), limit: 4).last?
                .column
        }
        #expect(await read(journal, page) == nil)
        try await damage(
            journal,
            leadBack(
                "transfers_line", "session, priority, origin, line", falling: Self.fallingID,
                where: "WHERE phase = 0 AND line IS NOT NULL")
        )
        #expect(await read(journal, page) == .journalFailed)
        await journal.close()
    }

    @Test(arguments: [false, true])
    func `of events end with the error of the journal`(isBrief: Bool) async throws {
        let journal = try await journal()
        let session = try Sample.record(1).request.session
        let page: Page = { reader, last throws(ServiceError) in
            guard !isBrief else {
                return try reader.briefPage(after: last ?? 0, through: .max, session: session).through
            }
            return try reader.events(after: last ?? 0, session: session, limit: 4).last?.number ?? nil
        }
        #expect(await read(journal, page) == nil)
        try await damage(journal, leadBack("events_session", of: "events", "session", falling: "1000 - number"))
        #expect(await read(journal, page) == .journalFailed)
        await journal.close()
    }
}
