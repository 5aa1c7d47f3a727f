import FerryCore
@testable import FerryStore
import FerryQueue
import Foundation
import JournalKit
import Testing

/// A regression: with the maximum number in its last event, a journal reported a full disk at every commit, forever.
@Suite(.timeLimit(.minutes(1))) struct `Numbers that Ferry has not given` {
    private func append(_ journal: any Journal, _ id: UInt64) async throws(ServiceError) -> Int64 {
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.appendEvent(
                kind: .submitted, at: Sample.moment, id: Sample.id(id), session: .cli, snapshot: nil)
        }
    }

    private func edit(_ journal: any Journal, _ sql: String) async throws {
        try await journal.commit { transaction throws(ServiceError) in try transaction.connection.execute(sql) }
    }

    private func events(_ journal: any Journal) async throws -> [TransferEvent] {
        try await journal.read { reader throws(ServiceError) in try reader.events(after: 0, limit: 10) }
    }

    @Test(arguments: [
        "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'events'",
        "UPDATE events SET number = 9223372036854775807 WHERE number = 3",
        "UPDATE events SET number = 9007199254740993 + number WHERE number > 1",
    ])
    func `are reported at the start, and events continue above all numbers that Ferry has given`(sql: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        for id: UInt64 in 1...3 { _ = try await append(journal, id) }
        try await edit(journal, sql)
        await journal.close()
        let (again, warnings) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
        #expect(warnings.count == 1 && warnings.first?.contains("edited") == true)
        let next = try await append(again, 4)
        let found = try await events(again)
        #expect(found.map(\.id) == (1...4).map { Sample.id($0) })
        let numbers = found.compactMap(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 4 && numbers.last == next)
        #expect(next > JournalNumbers.restart && next < JournalNumbers.highestEvent)
        await again.close()
        let (third, none) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
        #expect(none.isEmpty)
        await third.close()
    }

    /// Ids beyond the range of a signed integer would be in no queue, and their transfers would never run.
    @Test func `of transfers do not lead to ids that no line has`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        try await Sample.insert([try Sample.record(1)], into: journal)
        try await edit(journal, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'transfers'")
        await journal.close()
        let (again, warnings) = try await SQLiteJournal.open(at: folder.journal, logger: Sample.quiet)
        #expect(warnings.count == 1)
        #expect(try await again.lastTransferID() == Sample.id(1))
        await again.close()
    }

    @Test func `that come while the journal is open fail its commits with their own reason`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await Sample.open(folder)
        _ = try await append(journal, 1)
        try await edit(journal, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'events'")
        for _ in 0..<2 {
            let error = await #expect(throws: ServiceError.self) { try await append(journal, 2) }
            #expect(error?.code == .journalFailed && error?.message.contains("number") == true)
        }
        await journal.close()
        let again = try await Sample.open(folder)
        #expect(try await append(again, 2) > JournalNumbers.restart)
        await again.close()
    }
}
