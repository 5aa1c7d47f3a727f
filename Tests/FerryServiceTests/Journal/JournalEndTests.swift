import FerryCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The end of a transfer in both journals` {
    private func ended(_ record: TransferRecord) -> (TransferRecord, StoredEnd) {
        var record = record
        record.outcome = Sample.success
        record.finishedAt = Sample.moment
        record.retry = nil
        record.facts.partial = nil
        record.attempts += 1
        return (record, StoredEnd(TransferEnd(record, snapshot: Transfer(record, live: .waiting(.slot)))))
    }

    private func finish(_ end: StoredEnd, in journal: any Journal) async throws -> Int64? {
        try await journal.commit { transaction throws(TransferError) in
            try transaction.finish(end, kind: .succeeded, at: Sample.moment)
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
        let events = try await journal.read { reader throws(TransferError) in
            try reader.events(after: 0, session: nil, ids: nil, limit: 10)
        }
        #expect(events.map(\.kind) == [.succeeded])
        #expect(events.first?.transfer == Transfer(wanted, live: .waiting(.slot)))
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases, [TransferIntent.suspend, .cancel, .remove])
    func `is not stored over another wish`(kind: JournalKind, intent: TransferIntent) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (_, end) = ended(record)
        try await journal.commit { transaction throws(TransferError) in try transaction.setIntent(record.id, intent) }
        #expect(try await finish(end, in: journal) == nil)
        #expect(try await journal.record(record.id)?.outcome == nil)
        #expect(try await journal.read { reader throws(TransferError) in try reader.lastEventNumber } == 0)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `is not stored over another end`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (succeeded, end) = ended(record)
        #expect(try await finish(end, in: journal) == 1)
        var failed = record
        failed.outcome = .failed(TransferError(.deadlineExceeded, "Late."))
        let late = StoredEnd(TransferEnd(failed, snapshot: Transfer(failed, live: .waiting(.slot))))
        #expect(try await finish(late, in: journal) == nil)
        #expect(try await journal.record(record.id) == succeeded)
        #expect(try await journal.read { reader throws(TransferError) in try reader.lastEventNumber } == 1)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `is not stored over a change that it was not decided from`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (_, end) = ended(record)
        try await journal.commit { transaction throws(TransferError) in
            guard var changed = try transaction.record(record.id) else { return }
            changed.request.rateLimit = 4096
            try transaction.update(changed)
        }
        #expect(try await finish(end, in: journal) == nil)
        let changed = try #require(try await journal.record(record.id))
        #expect(changed.request.rateLimit == 4096 && changed.outcome == nil)
        let (wanted, again) = ended(changed)
        #expect(try await finish(again, in: journal) == 1)
        #expect(try await journal.record(record.id) == wanted)
        await journal.close()
    }

    /// The end of a whole record must not be stored over another end, nor told a second time.
    @Test(arguments: JournalKind.allCases)
    func `of a whole record is not stored over another end, nor what a run has found out`(kind: JournalKind)
        async throws
    {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (succeeded, _) = ended(record)
        let finish: @Sendable (TransferRecord) async throws -> Int64? = { ended in
            try await journal.commit { transaction throws(TransferError) in
                try transaction.finish(ended, kind: .succeeded, at: Sample.moment)?.number
            }
        }
        #expect(try await finish(succeeded) == 1)
        var failed = record
        failed.outcome = .failed(TransferError(.deadlineExceeded, "Late."))
        #expect(try await finish(failed) == nil)
        let stored = try await journal.commit { transaction throws(TransferError) in
            (try transaction.settle(record), try transaction.updateFacts(record.id, StoredFacts(record.facts)))
        }
        #expect(stored == (false, false))
        #expect(try await journal.record(record.id) == succeeded)
        #expect(try await journal.read { reader throws(TransferError) in try reader.lastEventNumber } == 1)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `of a whole record keeps what was asked for meanwhile, and needs its transfer`(kind: JournalKind) async throws
    {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        let (succeeded, _) = ended(record)
        try await journal.commit { transaction throws(TransferError) in
            guard var changed = try transaction.record(record.id) else { return }
            changed.request.rateLimit = 4096
            changed.intent = .remove
            try transaction.update(changed)
        }
        let shown = try await journal.commit { transaction throws(TransferError) in
            try transaction.finish(succeeded, kind: .succeeded, at: Sample.moment)?.shown
        }
        #expect(shown?.rateLimit == 4096)
        #expect(try await journal.record(record.id)?.intent == .remove)
        try await journal.commit { transaction throws(TransferError) in try transaction.delete(record.id) }
        let number = try await journal.commit { transaction throws(TransferError) in
            try transaction.finish(succeeded, kind: .succeeded, at: Sample.moment)?.number
        }
        #expect(number == nil)
        await journal.close()
    }
}
