import FerryCore
import FerryEngine
@testable import FerryQueue
@testable import FerryService
@testable import FerryStore
import FerryRules
import FerryTesting
import Foundation
import Logging
import Testing

/// Every statement reads, changes and removes rows with arbitrary contents. None fails because of a row's contents.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Mutated rows` {
    private static let undone = ServiceError(.offline, "Undone.")

    /// Makes changes in a journal and rolls them back.
    private func undoing(
        _ journal: any Journal, _ mutations: inout Mutations,
        _ body: @escaping @Sendable (any JournalTransaction, inout Mutations) throws(ServiceError) -> Void
    ) async {
        let before = mutations
        let error = await #expect(throws: ServiceError.self) {
            try await journal.commit { transaction throws(ServiceError) in
                var mutations = before
                try body(transaction, &mutations)
                throw Self.undone
            }
        }
        #expect(error == Self.undone)
        // The changes used numbers from a copy of the generator. Skip them, so that the next round uses others.
        for _ in 0..<1024 { _ = mutations.next() }
    }

    /// Replaces the journal from time to time, because a connection caches each prepared statement and every edit is a
    /// different one.
    private func renew(_ journal: inout SQLiteJournal, at round: Int) async throws {
        guard round % 50 == 49 else { return }
        await journal.close()
        journal = try await filled()
    }

    private func filled() async throws -> SQLiteJournal {
        let journal = try SQLiteJournal.inMemory(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await journal.commit { transaction throws(ServiceError) in try SampleRows.fill(transaction, in: "/none") }
        return journal
    }

    @Test func `are read, changed and forgotten`() async throws {
        var journal = try await filled()
        var mutations = Mutations(seed: 23)
        try await mutations.rounds(600) { mutations, round in
            await undoing(journal, &mutations) { transaction, mutations throws(ServiceError) in
                try SampleRows.edit(transaction, &mutations)
                try Self.read(transaction)
                try Self.change(transaction)
            }
            try await renew(&journal, at: round)
        }
        await journal.close()
    }

    private static func read(_ reader: any JournalTransaction) throws(ServiceError) {
        let session = try SessionID(SampleRows.application)
        var filter = JournalFilter()
        for tag in ["a", nil] {
            filter.tag = tag
            _ = try reader.page(filter)
            _ = try reader.listing(filter)
        }
        _ = try reader.records(SampleRows.ids)
        _ = try reader.remains(of: nil)
        _ = try reader.remains(of: SampleRows.ids)
        _ = try reader.pending(SampleRows.ids)
        _ = try reader.pending(of: session)
        try reader.forEachPending(.timed) { _ in }
        for line in try reader.lines().lines {
            _ = try reader.ids(in: line, after: nil, through: SampleRows.id(99), limit: 9)
        }
        let due = try reader.due(through: .distantFuture, limit: 9)
        _ = try reader.due(after: due.last, through: .distantFuture, limit: 9)
        _ = try reader.unfinishedCleanups()
        _ = try reader.unfinishedNames()
        _ = try reader.spooledTransfers(endedBefore: .now)
        _ = try (reader.counts(), reader.sessions(), reader.storedSessions(), reader.settings())
        _ = try (reader.applications(), reader.registrations(), reader.lastTransferID, reader.lastEventNumber)
        for session in [session, .cli] {
            _ = try (reader.sessionSettings(session), reader.cookies(of: session), reader.order(of: session))
            _ = try (reader.lastTask(of: session), reader.hasPending(session, besides: 0), reader.hasEnded(session))
            _ = try (reader.lastEvent(of: session), reader.briefPage(after: 0, through: .max, session: session))
            _ = try reader.page(after: 0, through: .max, session: session, ids: nil)
            _ = try reader.transfers(of: session, among: nil)
            _ = try reader.succeeded(of: session, among: SampleRows.ids)
            _ = try reader.transfers(of: session, within: TransferIDRuns(SampleRows.ids))
        }
        _ = try (reader.sessionsWithEvents(), reader.lastPlaced(at: "/none/in/3"))
        _ = try reader.destinationHolder("/none/in/1")
    }

    private static func change(_ transaction: any JournalTransaction) throws(ServiceError) {
        let session = try SessionID(SampleRows.application)
        let (ids, now) = (SampleRows.ids, SystemClock().active)
        var retention = EventRetention()
        retention.mostUnacknowledged = 3
        for session in [session, .cli] {
            _ = try transaction.suspend(ids, of: session, at: now)
            var circumstances = BulkCommandSituation(now)
            circumstances.delayed = Set(ids)
            var gone: [TransferID: Outcome] = [:]
            for record in try transaction.records(ids) { gone[record.id] = record.outcome }
            _ = try transaction.begin(ids, of: session, circumstances, gone: gone)
            _ = try transaction.trimEvents(of: session, retention.limits(isAcknowledged: false, now: now.wall))
        }
        for phase in [JournalPhase.succeeded, .failed, .canceled] {
            _ = try transaction.forgetSecrets(in: phase, endedBefore: nil, after: TransferID(rawValue: 0))
        }
        for id in ids.prefix(4) {
            guard var record = try transaction.record(id) else { continue }
            // Because of an edit, another transfer may have the name.
            do throws(ServiceError) {
                try transaction.update(record)
                record = try transaction.record(id) ?? record
                _ = try transaction.finish(StoredEnd(TransferEnd(record, .canceled, at: now.wall)))
            } catch { guard error.code == .destinationExists || error.code == .internal else { throw error } }
        }
        for session in [session, .cli] {
            _ = try transaction.remove(
                ids, of: session, intent: .removeWithFile, sparesSucceeded: false, live: [], at: now.wall)
            _ = try transaction.forget(ids, of: session, at: now.wall)
        }
    }

    @Test func `of settings count as not set, or as the nearest that are allowed`() async throws {
        var journal = try await filled()
        var mutations = Mutations(seed: 24)
        try await mutations.rounds(1000) { mutations, round in
            await undoing(journal, &mutations) { transaction, mutations throws(ServiceError) in
                let service = mutations.mutate(try JournalJSON.text(ServiceSettings()))
                let session = mutations.mutate(
                    try JournalJSON.text(SessionSettings(activeTransfers: 3, rateLimit: 4096)))
                try SampleRows.set("value", of: "settings", to: Array(service.utf8), transaction)
                try SampleRows.set("settings", of: "sessions", to: Array(session.utf8), transaction)
                try transaction.settings()?.validate()
                try transaction.sessionSettings(.cli)?.validate()
            }
            try await renew(&journal, at: round)
        }
        await journal.close()
    }

    /// The files beside the journal that record how earlier daemons ended.
    @Test func `of a start's mark are one all the same`() async throws {
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var mutations = Mutations(seed: 25)
        try await withTemporaryFolder { folder in
            _ = StartWatch(folder: folder.path, logger: quiet, now: Date())
            let mark = [UInt8](try #require(FileManager.default.contents(atPath: folder.file("start.json"))))
            try await mutations.rounds(400) { mutations, _ in
                try Data(mutations.mutate(mark)).write(to: URL(filePath: folder.file("start.json")))
                try Data(mutations.mutate(Array("11 0000000000000007\n0000000000000008\n".utf8)))
                    .write(to: URL(filePath: folder.file("start.trap")))
                let watch = StartWatch(folder: folder.path, logger: quiet, now: Date())
                watch.suspectsFailed()
                #expect(StartWatch(folder: folder.path, logger: quiet, now: Date()).mode.suspects == [])
            }
        }
    }
}
