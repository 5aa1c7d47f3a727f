import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import GRDB
import JournalKit
import Testing

/// A command has the same effect on one transfer, stored as a whole record, as on many at once.
@Suite(.timeLimit(.minutes(1))) struct `Wishes for one and for many` {
    /// Returns the events, and all columns of all rows except for the ones that tell how a row was written.
    private func content(_ journal: any Journal) async throws -> [[String]] {
        try await journal.read { reader throws(ServiceError) in
            try reader.connection.run { database in
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM transfers ORDER BY id").map { row in
                    row.filter { !["revision", "facts"].contains($0.0) }.map { "\($0.0) = \($0.1)" }
                }
                let events = try Row.fetchAll(
                    database, sql: "SELECT session, id, kind, at, snapshot FROM events ORDER BY id"
                ).map { row in row.map { "\($0.0) = \($0.1)" } }
                let requests = try Row.fetchAll(database, sql: "SELECT * FROM requests ORDER BY id").map { row in
                    row.map { "\($0.0) = \($0.1)" }
                }
                return rows + events + requests
            }
        }
    }

    @Test(arguments: CommandStates.commands, [(false, false), (true, false), (false, true), (true, true)])
    func `make the same row and the same event`(command: TransferCommand, circumstances: (Bool, Bool)) async throws {
        let states = try CommandStates.all()
        #expect(states.count == 80)
        let moment = CommandSituation(now: CommandStates.now, isDelayed: circumstances.0, isRunning: circumstances.1)
        let (one, many) = (
            try SQLiteJournal.inMemory(logger: Sample.quiet), try SQLiteJournal.inMemory(logger: Sample.quiet)
        )
        let records = try await CommandStates.insert(states, into: one)
        _ = try await CommandStates.insert(states, into: many)
        #expect(try await content(one) == content(many))
        try await CommandStates.actOnEach(command, records, moment, in: one)
        try await CommandStates.actOnAll(command, records, moment, in: many)
        let (expected, found) = (try await content(one), try await content(many))
        for (one, other) in zip(expected, found) where one != other {
            Issue.record("\(Set(one).symmetricDifference(other))")
        }
        #expect(expected.count == found.count)
        #expect(try await one.page() == many.page())
        await one.close()
        await many.close()
    }

    /// Rows of the previous version have JSON for the values that decisions depend on.
    @Test(arguments: CommandStates.commands)
    func `make the same of a journal of the version before`(command: TransferCommand) async throws {
        let states = try CommandStates.all()
        let folder = try TemporaryFolder()
        let one = try SQLiteJournal.inMemory(logger: Sample.quiet)
        let records = try await CommandStates.insert(states, into: one)
        let old = try await Sample.open(folder)
        _ = try await CommandStates.insert(states, into: old)
        try await old.commit { transaction throws(ServiceError) in
            for step in OldJournals.version8 { try transaction.connection.execute(step) }
        }
        await old.close()
        let many = try await Sample.open(folder)
        #expect(try await many.page() == records)
        #expect(try await spooled(many) == spooled(one))
        let moment = CommandSituation(now: CommandStates.now, isDelayed: true)
        try await CommandStates.actOnEach(command, records, moment, in: one)
        try await CommandStates.actOnAll(command, records, moment, in: many)
        #expect(try await one.page() == many.page())
        #expect(try await one.counts() == many.counts())
        await one.close()
        await many.close()
    }

    /// Done as a schema migration, this would delay the start of a journal with a million rows.
    @Test func `a journal of the version before is given its columns some at a time, which changes nothing else`()
        async throws
    {
        let folder = try TemporaryFolder()
        let old = try await Sample.open(folder)
        let states = try await CommandStates.insert(try CommandStates.all(), into: old)
        try await Sample.insert(try (1000..<1500).map { try Sample.record($0) }, into: old)
        let all = try await old.page(Self.everything)
        try await old.commit { transaction throws(ServiceError) in
            for step in OldJournals.version8 { try transaction.connection.execute(step) }
            try transaction.connection.execute("UPDATE transfers SET facts = '{' WHERE id = \(states[7].id.column)")
        }
        await old.close()
        let journal = try await Sample.open(folder)
        #expect(try await revisions(journal) == Array(repeating: 0, count: 580))
        var last: TransferID? = TransferID(rawValue: 0)
        var steps = 0
        while let after = last {
            let before = try await revisions(journal)
            last = try await journal.commit { transaction throws(ServiceError) in
                try transaction.completeRows(after: after)
            }
            steps += 1
            let changed = zip(before, try await revisions(journal)).count { $0 != $1 }
            #expect(changed <= 200 && steps <= 3)
        }
        #expect(steps == 3)
        // The unreadable row stays unchanged.
        #expect(try await revisions(journal).count { $0 == 0 } == 1)
        let found = try await journal.page(Self.everything)
        #expect(found.filter { $0.id != states[7].id } == all.filter { $0.id != states[7].id })
        let again = try await journal.commit { transaction throws(ServiceError) in
            try transaction.completeRows(after: TransferID(rawValue: 0))
        }
        #expect(again == nil)
        await journal.close()
    }

    @Test func `an edited row of the version before that names what another transfer has holds up no action`()
        async throws
    {
        let folder = try TemporaryFolder()
        let old = try await Sample.open(folder)
        let records = try (1...3).map { try Sample.record($0, destination: "/f/\($0)") }
        try await Sample.insert(records, into: old)
        try await old.commit { transaction throws(ServiceError) in
            for step in OldJournals.version8 { try transaction.connection.execute(step) }
            try transaction.connection.execute(
                "UPDATE transfers SET facts = '{\"destination\":\"/f/1\"}' WHERE id = \(records[1].id.column)")
        }
        await old.close()
        let journal = try await Sample.open(folder)
        let ids = records.map(\.id)
        let suspended = try await journal.commit { transaction throws(ServiceError) in
            try transaction.suspend(ids, of: .cli, at: CommandStates.now)
        }
        #expect(suspended.ids == ids)
        #expect(try await journal.counts() == [.suspended: 3])
        await journal.close()
    }

    private func spooled(_ journal: any Journal) async throws -> [TransferID] {
        try await journal.read { reader throws(ServiceError) in
            try reader.spooledTransfers(endedBefore: .distantFuture)
        }
    }

    private static var everything: JournalFilter {
        var filter = JournalFilter()
        filter.limit = 1000
        return filter
    }

    private func revisions(_ journal: any Journal) async throws -> [Int64] {
        try await journal.read { reader throws(ServiceError) in
            var found: [Int64] = []
            try reader.connection.forEachRow("SELECT revision FROM transfers ORDER BY id") { row in
                found.append(row.integer(0) ?? -1)
            }
            return found
        }
    }
}
