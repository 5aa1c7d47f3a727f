// Ferry: FerryStoreTests
// What waits, a few at a time.

import FerryCore
@testable import FerryStore
import Foundation
import GRDB
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Lines` {
    private static let end = Sample.id(1000)

    private func lines(_ journal: any Journal) async throws -> [(StoredLine, [TransferID])] {
        try await journal.read { reader throws(TransferError) in
            var found: [(StoredLine, [TransferID])] = []
            for line in try reader.lines().lines {
                found.append((line, try reader.ids(in: line, after: nil, through: Self.end, limit: 100)))
            }
            return found
        }
    }

    private func timed(_ journal: any Journal) async throws -> [TransferID] {
        try await journal.read { reader throws(TransferError) in
            var found: [TransferID] = []
            try reader.forEachPending(.timed) { found.append($0.id) }
            return found
        }
    }

    @Test func `hold those that wait alike, oldest first`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        var records = try (UInt64(1)...8).map { try Sample.record($0) }
        records[1].request.url = "http://other.example/"
        records[2].request.session = try SessionID("b")
        records[3].request.priority = .high
        records[4].request.network.allowsCellular = false
        records[5].request.network.allowsCellular = false
        records[6].intent = .suspend
        records[7].request.deadline = Sample.moment
        records[7].request.resourceTimeout = 60
        try await Sample.insert(records.reversed(), into: journal)
        let found = try await lines(journal)
        #expect(
            Set(found.map(\.1)) == [[1, 8], [2], [3], [4], [5, 6]].reduce(into: []) { $0.insert($1.map(Sample.id)) })
        for (line, ids) in found {
            let record = try #require(records.first { $0.id == ids[0] })
            #expect(StoredLine(record, origin: line.origin) == line)
            #expect(line.network == record.request.network && line.session == record.request.session)
        }
        #expect(try await timed(journal) == [])
        await journal.close()
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout TransferRecord) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout TransferRecord) -> Void) {
            testDescription = name
            self.change = change
        }
    }

    @Test(arguments: [
        Change("retry") { $0.retry = try? Sample.fullRecord(1).retry },
        Change("begin") { $0.request.notBefore = Sample.moment },
        Change("launch") { $0.facts.startsAfterRelaunch = true },
    ])
    func `hold nobody who waits for a moment of its own`(change: Change) async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        var record = try Sample.record(1)
        change.change(&record)
        try await Sample.insert([record, try Sample.record(2)], into: journal)
        #expect(try await lines(journal).map(\.1) == [[Sample.id(2)]])
        #expect(try await timed(journal) == [record.id])
        // Once it waits for nothing any longer, it stands in line.
        let plain = try Sample.record(1)
        try await journal.commit { transaction throws(TransferError) in try transaction.update(plain) }
        #expect(try await lines(journal).map(\.1) == [[Sample.id(1), Sample.id(2)]])
        #expect(try await timed(journal) == [])
        await journal.close()
    }

    @Test func `are read on from where the last reading ended`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await Sample.insert(try (UInt64(1)...9).map { try Sample.record($0) }, into: journal)
        let pages = try await journal.read { reader throws(TransferError) in
            let line = try reader.lines().lines[0]
            return [
                try reader.ids(in: line, after: nil, through: Self.end, limit: 4),
                try reader.ids(in: line, after: Sample.id(4), through: Self.end, limit: 4),
                try reader.ids(in: line, after: Sample.id(4), through: Sample.id(6), limit: 4),
            ]
        }
        #expect(pages == [[1, 2, 3, 4], [5, 6, 7, 8], [5, 6]].map { $0.map(Sample.id) })
        await journal.close()
    }

    @Test func `that cannot be read are named with all who wait in them`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await Sample.insert(try (UInt64(1)...4).map { try Sample.record($0) }, into: journal)
        try await journal.commit { transaction throws(TransferError) in
            try transaction.connection.execute(
                "UPDATE transfers SET priority = 'urgent' WHERE id > ?", [Sample.id(2).column])
            try transaction.connection.execute("UPDATE transfers SET line = '{' WHERE id = ?", [Sample.id(1).column])
        }
        let (lines, unreadable) = try await journal.read { reader throws(TransferError) in
            let (lines, unreadable) = try reader.lines()
            return (lines.map(\.line), unreadable.sorted())
        }
        #expect(lines == [""])
        #expect(unreadable == [1, 3, 4].map(Sample.id))
        await journal.close()
    }

    /// As a text, such a column ends at the NUL, or becomes another one: the line after it is the same line again, for ever.
    @Test(arguments: ["x'61FF'", "x'FF'", "x'6100FF'", "x'00'", "x'C3'"])
    func `whose columns are no text end, and name all who wait`(bytes: String) async throws {
        for column in ["session", "priority", "origin", "line"] {
            let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
            try await Sample.insert(try (UInt64(1)...4).map { try Sample.record($0) }, into: journal)
            try await journal.commit { transaction throws(TransferError) in
                try transaction.connection.execute(
                    "UPDATE transfers SET \(column) = CAST(\(bytes) AS TEXT) WHERE id > ?", [Sample.id(2).column])
            }
            let (lines, unreadable) = try await journal.read { reader throws(TransferError) in
                let (lines, unreadable) = try reader.lines()
                var ids: [TransferID] = []
                for line in lines { ids += try reader.ids(in: line, after: nil, through: Sample.id(9), limit: 9) }
                return (ids, unreadable.sorted())
            }
            #expect(lines == [1, 2].map(Sample.id) && unreadable == [3, 4].map(Sample.id))
            await journal.close()
        }
    }

    @Test func `are found by index, without a sort`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await Sample.insert([try Sample.record(1)], into: journal)
        let plans = try await journal.read { reader throws(TransferError) in
            try reader.connection.run { database in
                try [
                    """
                    SELECT CAST(session AS BLOB), CAST(line AS BLOB) FROM transfers INDEXED BY transfers_line \
                    WHERE phase = 0 AND line IS NOT NULL AND session = CAST(x'' AS TEXT) \
                    AND priority = CAST(x'' AS TEXT) AND origin > CAST(x'' AS TEXT) \
                    ORDER BY session, priority, origin, line LIMIT 1
                    """,
                    """
                    SELECT id FROM transfers INDEXED BY transfers_line WHERE phase = 0 AND line IS NOT NULL \
                    AND session = CAST(x'' AS TEXT) AND priority = CAST(x'' AS TEXT) \
                    AND origin = CAST(x'' AS TEXT) AND line = CAST(x'' AS TEXT) AND id > 1 AND id <= 2 \
                    ORDER BY id LIMIT 1
                    """,
                    "SELECT id FROM transfers WHERE phase = 0 AND line IS NULL ORDER BY id",
                ].map { sql in
                    try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
                }
            }
        }
        for plan in plans {
            #expect(plan.count == 1 && plan.allSatisfy { $0.hasPrefix("SEARCH transfers USING") }, "\(plan)")
        }
        await journal.close()
    }
}
