package import FerryCore
package import FerryQueue
package import FerryRules
import Foundation
import Testing

/// A transfer in each state, to test commands on.
package enum CommandStates {
    package static let now = ActiveTime.Instant(wall: Sample.moment + 100, boot: "boot", uptime: 1090.5)

    private enum Content: UInt64, CaseIterable { case plain, full, lost, taken }

    /// Returns a record for each state of a row.
    package static func all() throws -> [TransferRecord] {
        var records: [TransferRecord] = []
        let outcomes: [Outcome?] = [
            nil, Sample.success, .failed(ServiceError(.offline, "No network.")), .canceled,
        ]
        for intent in [TransferIntent.run, .suspend, .cancel, .remove, .removeWithFile] {
            for outcome in outcomes {
                for content in Content.allCases {
                    var record = try Sample.record(UInt64(records.count + 1), session: "app")
                    record.active.begin(at: ActiveTime.Instant(wall: Sample.moment, boot: "boot", uptime: 990.5))
                    record.intent = intent
                    record.outcome = outcome
                    record.finishedAt = outcome.map { _ in Sample.moment }
                    if intent != .run { record.active.suspend(at: now) }
                    fill(&record, content)
                    records.append(record)
                }
            }
        }
        return records
    }

    private static func fill(_ record: inout TransferRecord, _ content: Content) {
        switch content {
        case .plain: break
        case .full:
            record.request.timing.deadline = Sample.moment + 1000
            record.request.timing.resourceTimeout = 50.25
            record.request.timing.notBefore = Sample.moment + 5
            record.request.transport.network.allowsCellular = false
            record.facts.startsAfterRelaunch = true
            record.facts.restarts = 2
            record.facts.partial = Sample.partial
            record.facts.destination = "/f/\(record.id)"
            record.attempts = 3
            _ = record.failures.failed(
                ServiceError(.connectionLost, "Reset."), policy: RetryPolicy(), now: Sample.moment, random: 0)
            if record.outcome == nil { record.retry = try? Sample.fullRecord(1).retry }
        case .lost:
            record.request.secretsForgotten = true
            record.request.file.spooled = true
        case .taken:
            // The first of these owns the name. The others had chosen it too, and are not live.
            if record.outcome != nil || record.intent == .suspend { record.facts.destination = "/f/taken" }
            record.active = ActiveTime()
        }
    }

    package static let commands: [TransferCommand] = [
        .pause, .resume, .start, .cancel, .forget(file: false, sparesSucceeded: false),
        .forget(file: false, sparesSucceeded: true), .forget(file: true, sparesSucceeded: false),
    ]

    /// Inserts the records. Two live transfers cannot have the same name, so the first id owns it.
    package static func insert(_ records: [TransferRecord], into journal: any Journal) async throws -> [TransferRecord]
    {
        var held: Set<String> = []
        var stored: [TransferRecord] = []
        for record in records {
            var record = record
            if record.outcome == nil, let path = record.facts.destination, !held.insert(path).inserted {
                record.facts.destination = nil
            }
            stored.append(record)
        }
        try await Sample.insert(stored, into: journal)
        return try await journal.read { [stored] reader throws(ServiceError) in try reader.records(stored.map(\.id)) }
    }

    /// Applies a command to one record after the other with the machine.
    package static func actOnEach(
        _ command: TransferCommand, _ records: [TransferRecord], _ moment: CommandSituation, in journal: any Journal
    ) async throws {
        for record in records {
            _ = try await journal.commit { transaction throws(ServiceError) in
                try transaction.command(command, for: record.id, at: moment)
            }
        }
    }

    /// Applies a command to each of the records with the machine, in one transaction.
    package static func actTogether(
        _ command: TransferCommand, _ records: [TransferRecord], _ moment: CommandSituation, in journal: any Journal
    ) async throws {
        try await journal.commit { transaction throws(ServiceError) in
            let ids = records.map(\.id)
            let outcomes = try transaction.command(command, for: ids, BulkCommandSituation(moment, of: ids))
            #expect(outcomes.map(\.id) == ids)
        }
    }

    /// Applies a command to all records with the batch statements.
    package static func actOnAll(
        _ command: TransferCommand, _ records: [TransferRecord], _ moment: CommandSituation, in journal: any Journal
    ) async throws {
        let (ids, session) = (records.map(\.id), records[0].request.session)
        try await journal.commit { transaction throws(ServiceError) in
            switch command {
            case .pause: _ = try transaction.suspend(ids, of: session, at: moment.now)
            case .start: _ = try transaction.begin(ids, of: session, BulkCommandSituation(moment, of: ids))
            case .forget(let file, let sparesSucceeded):
                _ = try transaction.remove(
                    ids, of: session, intent: file ? .removeWithFile : .remove, sparesSucceeded: sparesSucceeded,
                    live: moment.isRunning ? Set(ids) : [], at: moment.now.wall)
            case .resume, .cancel, .fetchAgain, .keep:
                let circumstances = BulkCommandSituation(moment, of: ids)
                let changed = try transaction.change(command, ids, of: session, circumstances).changed
                guard command == .resume else { return }
                try transaction.appendEvents(kind: .resumed, at: moment.now.wall, ids: changed, session: session)
            }
        }
    }
}

extension JournalTransaction {
    /// Performs a command on one transfer.
    @discardableResult
    package func command(
        _ command: TransferCommand, for id: TransferID, at moment: CommandSituation
    ) throws(ServiceError) -> CommandOutcome {
        try self.command(command, for: [id], BulkCommandSituation(moment, of: [id]))[0].outcome
    }
}

extension BulkCommandSituation {
    /// The same situation for each of these transfers.
    fileprivate init(_ moment: CommandSituation, of ids: [TransferID]) {
        self.init(moment.now)
        if moment.isDelayed { delayed = Set(ids) }
        if moment.isRunning { running = Set(ids) }
        mayHaveLeftovers = moment.mayHaveLeftovers
    }
}
