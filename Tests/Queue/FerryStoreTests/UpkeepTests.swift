import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import GRDB
import GRDBSQLite
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Upkeep of the journal` {
    private func size(_ folder: TemporaryFolder) throws -> Int { try folder.bytes().count }

    /// Stores events of several MiB together.
    private func fill(_ journal: any Journal) async throws {
        let record = try Sample.fullRecord(1)
        var transfer = Transfer(record, live: .waiting(.slot))
        transfer.notes = [String(repeating: "n", count: 2000)]
        let shown = transfer
        try await journal.commit { transaction throws(ServiceError) in
            for _ in 0..<6000 {
                try transaction.appendEvent(
                    kind: .failed, at: Sample.moment, id: record.id, session: .cli, snapshot: shown)
            }
        }
    }

    private func trim(_ journal: any Journal) async throws {
        let limits = EventRetention().limits(isAcknowledged: false, now: Sample.moment + 3601)
        while try await journal.commit({ transaction throws(ServiceError) in
            try transaction.trimEvents(of: .cli, limits)
        }) {}
    }

    @Test func `a journal of many events shrinks once they are deleted`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        #expect(try await journal.pragma("auto_vacuum") == 2)
        try await Sample.insert([try Sample.record(7)], into: journal)
        try await fill(journal)
        #expect(await journal.reclaim() == false)
        let full = try size(folder)
        #expect(full > 8 << 20)
        try await trim(journal)
        var turns = 1
        while await journal.reclaim() { turns += 1 }
        #expect(turns > 1)
        #expect(try size(folder) < 2 << 20)
        #expect(try await journal.pragma("auto_vacuum") == 2)
        #expect(try await journal.page() == [try Sample.record(7)])
        try await Sample.insert([try Sample.record(8)], into: journal)
        await journal.close()
        let again = try await Sample.open(folder)
        #expect(try await again.page().map(\.id) == [Sample.id(7), Sample.id(8)])
        await again.close()
    }

    @Test func `an idle journal keeps no pages in memory, and continues afterwards`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await fill(journal)
        #expect(try await journal.page() == [])
        #expect(try await journal.cachedBytes() > 1 << 20)
        await journal.releaseMemory()
        #expect(try await journal.cachedBytes() < 1 << 18)
        try await Sample.insert([try Sample.record(8)], into: journal)
        #expect(try await journal.page().map(\.id) == [Sample.id(8)])
        await journal.close()
    }

    @Test(arguments: [(0, false), (256, false), (257, true)])
    func `a file is shortened where that is worth it`(free: Int, isWorthIt: Bool) {
        #expect(PageUpkeep.isDue(free: free) == isWorthIt)
    }
}

extension Journal {
    func pragma(_ name: String) async throws -> Int64? {
        try await read { reader throws(ServiceError) in
            var value: Int64?
            try reader.connection.forEachRow("PRAGMA \(name)") { value = $0.integer(0) }
            return value
        }
    }
}

extension SQLiteJournal {
    /// Size of the pages cached by the writer, in bytes.
    fileprivate func cachedBytes() async throws -> Int {
        try await database.writeWithoutTransaction { connection in
            var (current, highest): (CInt, CInt) = (0, 0)
            let status = unsafe sqlite3_db_status(
                connection.sqliteConnection, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
            try #require(status == SQLITE_OK)
            return Int(current)
        }
    }
}
