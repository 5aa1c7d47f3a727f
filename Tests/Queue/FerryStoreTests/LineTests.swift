import FerryCore
@testable import FerryStore
import FerryQueue
import Foundation
import GRDB
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Lines` {
    @Test func `that cannot be read are named with all who wait in them`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await Sample.insert(try (UInt64(1)...4).map { try Sample.record($0) }, into: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute(
                "UPDATE transfers SET priority = 'urgent' WHERE id > ?", [Sample.id(2).column])
            try transaction.connection.execute("UPDATE transfers SET line = '{' WHERE id = ?", [Sample.id(1).column])
        }
        let (lines, unreadable) = try await journal.read { reader throws(ServiceError) in
            let (lines, unreadable) = try reader.lines()
            return (lines.map(\.line), unreadable.sorted())
        }
        #expect(lines == [""])
        #expect(unreadable == [1, 3, 4].map(Sample.id))
        await journal.close()
    }

    /// Read as text, such a column ends at the NUL or changes. The next queue would then be the same one again,
    /// forever.
    @Test(arguments: ["x'61FF'", "x'FF'", "x'6100FF'", "x'00'", "x'C3'"])
    func `whose columns are no text end, and name all waiting transfers`(bytes: String) async throws {
        for column in ["session", "priority", "origin", "line"] {
            let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
            try await Sample.insert(try (UInt64(1)...4).map { try Sample.record($0) }, into: journal)
            try await journal.commit { transaction throws(ServiceError) in
                try transaction.connection.execute(
                    "UPDATE transfers SET \(column) = CAST(\(bytes) AS TEXT) WHERE id > ?", [Sample.id(2).column])
            }
            let (lines, unreadable) = try await journal.read { reader throws(ServiceError) in
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
        let plans = try await journal.read { reader throws(ServiceError) in
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
