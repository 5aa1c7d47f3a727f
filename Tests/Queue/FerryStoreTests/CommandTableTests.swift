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
