import FerryCore
import FerryQueue
import FerryRules
import FerryService
import FerryStore
import Foundation
import JournalKit
import Testing

/// Commands in every state leave the same data in both journals, whether applied to one transfer or to all at once.
@Suite(.timeLimit(.minutes(1))) struct `Wishes in both journals` {
    private enum Way: CaseIterable { case each, together, bulk }

    @Test(arguments: CommandStates.commands, [(false, false), (true, false), (false, true), (true, true)])
    func `leave the same transfers, lines and events`(command: TransferCommand, circumstances: (Bool, Bool))
        async throws
    {
        let states = try CommandStates.all()
        let moment = CommandSituation(now: CommandStates.now, isDelayed: circumstances.0, isRunning: circumstances.1)
        for way in Way.allCases {
            var found: [JournalContent] = []
            for kind in JournalKind.allCases {
                let journal = try kind.open()
                let records = try await CommandStates.insert(states, into: journal)
                switch way {
                case .each: try await CommandStates.actOnEach(command, records, moment, in: journal)
                case .together: try await CommandStates.actTogether(command, records, moment, in: journal)
                case .bulk: try await CommandStates.actOnAll(command, records, moment, in: journal)
                }
                found.append(try await JournalContent.found(in: journal))
                await journal.close()
            }
            #expect(found[0] == found[1])
            for (one, other) in zip(found[0].records, found[1].records) { #expect(one == other) }
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `are decided on the row as it is when they are committed`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let record = try await Sample.stored(try Sample.record(1), in: journal)
        let id = record.id
        let pause: @Sendable () async throws -> TransferRecord? = {
            let outcome = try await journal.commit { transaction throws(ServiceError) in
                try transaction.command(.pause, for: id, at: CommandSituation(now: CommandStates.now))
            }
            guard case .done(_, let stored) = outcome else { return nil }
            return stored
        }
        try await journal.commit { transaction throws(ServiceError) in
            var changed = record
            changed.request.transport.rateLimit = 4096
            try transaction.update(changed)
        }
        let facts = try journal.prepare(TransferFacts())
        try await journal.commit { transaction throws(ServiceError) in
            _ = try transaction.updateFacts(id, facts)
            _ = try transaction.claimDestination("/d/a", for: id, recording: facts)
        }
        let paused = try await pause()
        #expect(
            paused?.request.transport.rateLimit == 4096 && paused?.intent == .suspend
                && paused?.facts == TransferFacts())
        #expect(try await journal.record(id) == paused)
        #expect(try await pause() == nil)
        #expect(try await journal.read { reader throws(ServiceError) in try reader.lastEventNumber } == 1)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `number the events of each session's transfers in their order`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let records = try (UInt64(1)...4).map { try Sample.record($0, session: $0 % 2 == 0 ? "even" : "odd") }
        try await Sample.insert(records, into: journal)
        let ids = records.map(\.id)
        let unknown = Sample.id(9)
        let outcomes = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(
                .forget(file: false, sparesSucceeded: false), for: ids + [unknown],
                BulkCommandSituation(CommandStates.now))
        }
        let numbers = outcomes.map { outcome -> Int64? in
            guard case .done(let event?, _) = outcome.outcome, event.id == outcome.id, event.kind == .removed else {
                return nil
            }
            return event.number
        }
        #expect(numbers == [1, 3, 2, 4, nil])
        guard case .unknown? = outcomes.last?.outcome else {
            return #expect(Bool(false), "A missing transfer is known.")
        }
        let stored = try await journal.read { reader throws(ServiceError) in
            try reader.events(after: 0, session: nil, ids: nil, kinds: nil, limit: 9)
        }
        #expect(stored.map(\.id) == [ids[0], ids[2], ids[1], ids[3]])
        #expect(try await journal.page().isEmpty)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `leave secrets that were given anew after a success`(kind: JournalKind) async throws {
        let journal = try kind.open()
        var record = try Sample.record(1)
        record.outcome = Sample.success
        record.finishedAt = Sample.moment
        try await Sample.insert([record], into: journal)
        var given = try #require(try await journal.record(record.id))
        given.credentials = Credentials(user: "me", password: "hunter2")
        try await journal.commit { [given] transaction throws(ServiceError) in
            try transaction.update(given)
            let first = TransferID(rawValue: 0)
            #expect(try transaction.forgetSecrets(in: .succeeded, endedBefore: nil, after: first) == nil)
        }
        #expect(try await journal.record(record.id)?.credentials == given.credentials)
        await journal.close()
    }

    @Test(arguments: JournalKind.allCases)
    func `keep secrets of failed transfers until they are removed, some at a time`(kind: JournalKind) async throws {
        let journal = try kind.open()
        let records = try (UInt64(1)...250).map { number in
            var record = TransferRecord(
                id: Sample.id(number), createdAt: Sample.moment, request: try Sample.record(number).request,
                credentials: Credentials(user: "me", password: "hunter2"))
            record.outcome = .failed(ServiceError(.notFound, "No."))
            record.finishedAt = Sample.moment
            return record
        }
        try await Sample.insert(records, into: journal)
        let forget: @Sendable (Date) async throws -> Int = { moment in
            var (last, steps) = (TransferID(rawValue: 0) as TransferID?, 0)
            while let after = last {
                last = try await journal.commit { transaction throws(ServiceError) in
                    try transaction.forgetSecrets(in: .failed, endedBefore: moment, after: after)
                }
                steps += 1
            }
            return steps
        }
        #expect(try await forget(Sample.moment) == 1)
        #expect(try await journal.page().allSatisfy { $0.credentials != nil })
        #expect(try await forget(Sample.moment + 1) == 4)
        let found = try await journal.read { reader throws(ServiceError) in try reader.records(records.map(\.id)) }
        #expect(found.count == 250 && found.allSatisfy { $0.credentials == nil && $0.request.secretsForgotten })
        #expect(try await forget(Sample.moment + 1) == 1)
        // Each way to continue requires them.
        let ids = records.map(\.id)
        let begun = try await journal.commit { transaction throws(ServiceError) in
            try transaction.begin(ids, of: .cli, BulkCommandSituation(CommandStates.now))
        }
        #expect(begun.events.ids == [] && begun.lacking == ids)
        await journal.close()
    }
}
