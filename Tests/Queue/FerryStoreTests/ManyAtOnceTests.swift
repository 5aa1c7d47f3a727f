import FerryCore
@testable import FerryStore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Many transfers at once` {
    private let journal: any Journal
    private let session: SessionID
    private let now = ActiveTime.Instant(
        wall: Date(timeIntervalSince1970: 1_700_000_100), boot: "boot", uptime: 1000)

    init() throws {
        journal = try SQLiteJournal.inMemory(logger: Sample.quiet)
        session = try SessionID("app")
    }

    private func execute(_ sql: String) async throws {
        try await journal.commit { transaction throws(ServiceError) in try transaction.connection.execute(sql) }
    }

    private func records(_ ids: [TransferID]) async throws -> [TransferRecord] {
        try await journal.read { reader throws(ServiceError) in try reader.records(ids) }
    }

    private func record(
        _ number: UInt64, _ change: (inout TransferRecord) -> Void = { _ in }
    ) throws -> TransferRecord {
        var record = try Sample.record(number, session: session.name)
        record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5))
        change(&record)
        return record
    }

    // MARK: Lists

    @Test(arguments: ["request = '{'", "facts = 'no'", "outcome = '[1]'", "intent = 'other'", "retry = '{}'"])
    func `a row that cannot be read is listed as failed, and stops no other`(change: String) async throws {
        let records = try (1...3).map { try Sample.record($0) }
        try await Sample.insert(records, into: journal)
        let table = change.hasPrefix("request") ? "requests" : "transfers"
        try await execute("UPDATE \(table) SET \(change) WHERE id = \(records[1].id.column)")
        let listed = try await journal.read { reader throws(ServiceError) in try reader.listing(JournalFilter()) }
        #expect(listed.map(\.record.id) == records.map(\.id))
        let states = listed.map { Transfer($0.record, live: .waiting(.slot)) }
        #expect(states.map(\.state) == [.waiting, .failed, .waiting])
        #expect(states[1].error?.code == .journalFailed)
    }

    // MARK: Actions

    @Test func `a removed transfer leaves no row behind`() async throws {
        let all = try (1...3).map { number in try record(number) { $0.request.tags = ["a"] } }
        try await Sample.insert(all, into: journal)
        let (session, ids) = (session, all.map(\.id))
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.delete(ids[0])
            _ = try transaction.forget(Array(ids.dropFirst()), of: session, at: Sample.moment)
        }
        let left = try await journal.read { reader throws(ServiceError) in
            try ["transfers", "requests", "transfer_tags"].map { table throws(ServiceError) in
                try reader.connection.row("SELECT count(*) FROM \(table)").flatMap { RowReader($0).integer(0) }
            }
        }
        #expect(left == [0, 0, 0])
    }

    @Test func `rows that cannot be read hold up no action on the others`() async throws {
        let all = try (1...3).map { number in try record(number) }
        try await Sample.insert(all, into: journal)
        try await execute("UPDATE transfers SET facts = '{' WHERE id = \(all[1].id.column)")
        try await execute("UPDATE requests SET request = '{' WHERE id = \(all[1].id.column)")
        let (session, now, ids) = (session, now, all.map(\.id))
        let runs = try await journal.commit { transaction throws(ServiceError) in
            [
                try transaction.suspend(ids, of: session, at: now),
                try transaction.begin(ids, of: session, delayed: [], at: now).events,
                try transaction.remove(
                    ids, of: session, intent: .removeWithFile, sparesSucceeded: false, live: Set(ids), at: now.wall
                ).removed,
            ]
        }
        #expect(runs.map(\.ids) == [ids, ids, []])
        let remains = try await journal.read { reader throws(ServiceError) in try reader.remains(of: nil) }
        #expect(remains.map(\.id) == ids && remains[1].request == nil)
    }
}
