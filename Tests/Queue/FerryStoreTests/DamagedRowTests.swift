import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

/// For truncated or deeply nested JSON, SQLite's functions return an error that aborts the whole statement.
@Suite(.timeLimit(.minutes(1))) struct `Rows that are no JSON` {
    /// Texts to repeat until no reader accepts the JSON. Some statements first search for the third one.
    static let openings = ["[", #"{"a":"#, #"{"restarts":1,"start":"#, ""]

    private static func text(_ opening: String) -> String {
        opening.isEmpty ? "'no JSON'" : "replace(hex(zeroblob(50000)), '00', '\(opening)')"
    }

    /// Adds two transfers in each phase. The ones with numbers below 10 get rows with invalid JSON.
    private func fill(_ journal: any Journal, _ opening: String, session: String) async throws {
        let numbers: [UInt64] = Array(0..<7) + Array(10..<17)
        try await Sample.insert(try numbers.map { try Sample.record($0, session: session) }, into: journal)
        let text = Self.text(opening)
        try await journal.commit { transaction throws(ServiceError) in
            for number in numbers {
                let phase = number % 10 == 6 ? 2 : number % 10
                let intent = [1: "suspend", 2: "cancel", 6: "remove"][number % 10] ?? "run"
                try transaction.connection.execute(
                    """
                    UPDATE transfers SET phase = \(phase), ended = iif(\(phase) > 2, \(phase), NULL), intent = '\(intent)', \
                    line = NULL, finished_at = iif(\(phase) > 2, 1, NULL) WHERE id = \(Sample.id(number).column)
                    """)
            }
            let last = Sample.id(9).column
            try transaction.connection.execute(
                """
                UPDATE transfers SET facts = \(text), failures = \(text), retry = iif(phase < 2, \(text), NULL), \
                outcome = \(text) WHERE id <= \(last)
                """)
            try transaction.connection.execute(
                """
                UPDATE requests SET credentials = \(text), request = \(text) WHERE id <= \(last)
                """)
        }
    }

    @Test(arguments: openings)
    func `hold up no change of many transfers`(opening: String) async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let session = try SessionID("app")
        try await fill(journal, opening, session: session.name)
        let now = ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 1000)
        let ids = (0..<20).map { Sample.id($0) }
        let counts = try await journal.commit { transaction throws(ServiceError) in
            [
                try transaction.suspend(ids, of: session, at: now).ids.count,
                try transaction.begin(ids, of: session, delayed: ids, at: now).events.ids.count,
                try transaction.remove(
                    ids, of: session, intent: .remove, sparesSucceeded: false, live: [], at: now.wall
                ).removed.ids.count,
            ]
        }
        // Two are pending. With two more they are suspended, two have failed and two were canceled.
        #expect(counts == [2, 8, 10])
        await journal.close()
    }

    /// By its columns it is waiting, but it is shown to its user as failed.
    @Test func `start again with a retry of their own, from their recorded bytes`() async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.connection.execute("UPDATE transfers SET facts = '{'")
        }
        let now = ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 1000)
        let fate = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.start, for: record.id, at: CommandSituation(now: now))
        }
        guard case .done(let event?, let stored) = fate else {
            Issue.record("\(fate)")
            return
        }
        #expect(event.kind == .resumed && stored.isEligible && stored.request == record.request)
        #expect(try await journal.record(record.id) == stored)
        await journal.close()
    }

    @Test(arguments: openings)
    func `hold up no search`(opening: String) async throws {
        let journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        try await fill(journal, opening, session: "app")
        let ids = (0..<20).map { Sample.id($0) }
        let found = try await journal.read { reader throws(ServiceError) in
            _ = try reader.spooledTransfers(endedBefore: .now)
            return [
                try reader.pending(ids).count, try reader.remains(of: nil).count, try reader.remains(of: ids).count,
                try reader.records(ids).count, try reader.listing(JournalFilter()).count,
                try reader.unfinishedCleanups().count,
            ]
        }
        #expect(found == [2, 2, 14, 14, 14, 4])
        await journal.close()
    }
}
