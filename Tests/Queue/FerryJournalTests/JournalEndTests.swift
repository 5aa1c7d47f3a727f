import FerryCore
import FerryQueue
import FerryRules
import Foundation
import JournalKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The end of a transfer in both journals` {
    private func ended(_ record: TransferRecord) -> (TransferRecord, StoredEnd) {
        var record = record
        record.facts.partial = nil
        record.attempts += 1
        let end = TransferEnd(record, Sample.success, at: Sample.moment)
        return (end.record, StoredEnd(end))
    }

    private func finish(_ end: StoredEnd, in journal: any Journal) async throws -> Int64? {
        try await journal.commit { transaction throws(ServiceError) in
            try transaction.finish(end)
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `is stored as a whole record would be, with its event`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (wanted, end) = ended(record)
        #expect(try await finish(end, in: journal) == 1)
        #expect(try await journal.record(record.id) == wanted)
        #expect(try await journal.counts() == [.succeeded: 1])
        let events = try await journal.read { reader throws(ServiceError) in
            try reader.events(after: 0, session: nil, ids: nil, limit: 10)
        }
        #expect(events.map(\.kind) == [.succeeded])
        #expect(events.first?.transfer == Transfer(wanted, live: .waiting(.slot)))
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases, [TransferIntent.suspend, .cancel, .remove])
    func `is not stored over another command`(kind: JournalKind, intent: TransferIntent) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (_, end) = ended(record)
        try await journal.commit { transaction throws(ServiceError) in try transaction.setIntent(record.id, intent) }
        #expect(try await finish(end, in: journal) == nil)
        #expect(try await journal.record(record.id)?.outcome == nil)
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 0)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `is not stored over another end`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (succeeded, end) = ended(record)
        #expect(try await finish(end, in: journal) == 1)
        let failure = Outcome.failed(ServiceError(.deadlineExceeded, "Late."))
        let late = StoredEnd(TransferEnd(record, failure, at: Sample.moment))
        #expect(try await finish(late, in: journal) == nil)
        #expect(try await journal.record(record.id) == succeeded)
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 1)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `is not stored over a change that it was not decided from`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (_, end) = ended(record)
        try await journal.commit { transaction throws(ServiceError) in
            guard var changed = try transaction.record(record.id) else { return }
            changed.request.transport.rateLimit = 4096
            try transaction.update(changed)
        }
        #expect(try await finish(end, in: journal) == nil)
        let changed = try #require(try await journal.record(record.id))
        #expect(changed.request.transport.rateLimit == 4096 && changed.outcome == nil)
        let (wanted, again) = ended(changed)
        #expect(try await finish(again, in: journal) == 1)
        #expect(try await journal.record(record.id) == wanted)
        await journal.close()
    }

    /// Facts from a run do not overwrite an outcome.
    @Test(arguments: JournalKind.allCases)
    func `stands against what a run has found out, and needs its transfer`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (succeeded, end) = ended(record)
        #expect(try await finish(end, in: journal) == 1)
        let stored = try await journal.commit { transaction throws(ServiceError) in
            (try transaction.update(record), try transaction.updateFacts(record.id, StoredFacts(record.facts)))
        }
        #expect(stored == (false, false))
        #expect(try await journal.record(record.id) == succeeded)
        try await journal.commit { transaction throws(ServiceError) in try transaction.delete(record.id) }
        #expect(try await finish(end, in: journal) == nil)
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 1)
        await journal.close()
    }

    /// A release ends a transfer that its user had suspended.
    @Test(arguments: JournalKind.allCases)
    func `stores the command that it was decided with`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var record = try Sample.fullRecord(1)
        record.intent = .suspend
        record = try await Sample.stored(record, in: journal)
        record.intent = .cancel
        let end = TransferEnd(record, .canceled, at: Sample.moment)
        let canceled = end.record
        let number = try await journal.commit { transaction throws(ServiceError) in
            try transaction.finish(StoredEnd(end))
        }
        #expect(number == 1)
        #expect(try await journal.record(record.id) == canceled)
        #expect(try await journal.counts() == [.canceled: 1])
        await journal.close()
    }
}
