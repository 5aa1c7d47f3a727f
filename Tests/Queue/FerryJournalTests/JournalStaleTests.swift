import FerryCore
import FerryQueue
import FerryRules
import JournalKit
import Testing

/// A change names the row on which it was based. It has no effect if the row was changed since.
@Suite(.timeLimit(.minutes(1))) struct `A decision from another row, in both journals` {
    private func secret() throws -> TransferRecord {
        var record = TransferRecord(
            id: Sample.id(1), createdAt: Sample.moment, request: try Sample.record(1).request,
            credentials: Credentials(user: "me", password: "hunter2"))
        record.request.headers = [HeaderField(name: "X-Auth-Token", value: "hunter2")]
        return record
    }

    private func put(_ old: TransferRecord, in journal: any Journal) async throws -> Bool {
        var changed = old
        changed.request.transport.rateLimit = 4096
        return try await journal.commit { [changed] transaction throws(ServiceError) in
            try transaction.put(changed, replacing: old)
        }
    }

    /// A change that was decided before the transfer finished and stored afterwards must not restore the removed
    /// secrets.
    @Test(arguments: JournalKind.allCases)
    func `puts no secrets back on a transfer that has ended`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try secret(), in: journal)
        var ended = record
        ended.forgetSecrets()
        let end = TransferEnd(ended, Sample.success, at: Sample.moment)
        ended = end.record
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.finish(StoredEnd(end))
        }
        #expect(try await !put(record, in: journal))
        let stored = try #require(try await journal.record(record.id))
        #expect(stored == ended && !stored.hasSecrets && stored.request.transport.rateLimit == 0)
        #expect(try await put(stored, in: journal))
        let changed = try #require(try await journal.record(record.id))
        #expect(!changed.hasSecrets && changed.request.transport.rateLimit == 4096)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `puts no secrets back that were forgotten long after the end`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var record = try secret()
        record.outcome = .failed(ServiceError(.notFound, "No."))
        record.finishedAt = Sample.moment
        record = try await Sample.stored(record, in: journal)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.forgetSecrets(in: .failed, endedBefore: nil, after: TransferID(rawValue: 0))
        }
        #expect(try await !put(record, in: journal))
        #expect(try await journal.record(record.id)?.hasSecrets == false)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `changes nothing`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.command(.pause, for: record.id, at: CommandSituation(now: CommandStates.now))
        }
        let paused = try #require(try await journal.record(record.id))
        var tried = record
        tried.attempts += 1
        tried.facts.restarts = 2
        let late = tried
        let stored = try await journal.commit { transaction throws(ServiceError) in
            (try transaction.update(late), try transaction.updateFacts(of: late))
        }
        #expect(stored == (false, false))
        #expect(try await !put(record, in: journal))
        #expect(try await journal.record(record.id) == paused)
        await journal.close()
    }

    /// A checkpoint contains nothing that decisions depend on.
    @Test(arguments: JournalKind.allCases)
    func `is no change that was decided before a checkpoint, which stays`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.fullRecord(1), in: journal)
        var facts = record.facts
        facts.ranges.insert(0..<5)
        let checkpoint = try journal.prepare(facts)
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.updateFacts(record.id, checkpoint)
        }
        #expect(try await put(record, in: journal))
        let changed = try #require(try await journal.record(record.id))
        #expect(changed.request.transport.rateLimit == 4096 && changed.facts == facts)
        await journal.close()
    }
}
