// Ferry: FerryService
// From requests to transfers in the journal.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation

extension LocalTransferService {
    package func submit(_ requests: [TransferRequest]) async throws(TransferError) -> [SubmissionResult] {
        guard !isShuttingDown else { throw TransferError(.daemonUnreachable, "The daemon is ending.") }
        let journal = journal
        var folders = FolderChecks(engine) { paths throws(TransferError) in
            try await journal.read { reader throws(TransferError) in
                var taken: Set<String> = []
                for path in paths where try reader.destinationHolder(path) != nil { taken.insert(path) }
                return taken
            }
        }
        var prepared: [Result<PreparedTransfer, TransferError>] = []
        var trusted: RequestTrust?
        for request in requests {
            do throws(TransferError) {
                let admitted = try TransferAdmission.admit(request)
                // Most are as the one before.
                if request.trust != trusted { try await engine.check(request.trust) }
                trusted = request.trust
                if request.spooled {
                    prepared.append(.success(try await spooled(admitted)))
                    continue
                }
                let candidates = try await folders.check(admitted.request)
                prepared.append(.success(record(admitted, candidates)))
            } catch {
                prepared.append(.failure(error))
            }
        }
        let batch = prepared
        let stored = try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                var results: [StoredTransfer] = []
                for item in batch { results.append(try Self.store(item, transaction)) }
                return results
            }
        }
        configuration.reached(.requestCommitted)
        var results: [SubmissionResult] = []
        for item in stored {
            switch item {
            case .refused(let error): results.append(.refused(error))
            case .accepted(let record, let events):
                if record.isEligible { lineUp(record) }
                setDueAlarm(record)
                for event in events { await hub.publish(event) }
                results.append(.accepted(shown(record)))
            }
        }
        schedule()
        return results
    }

    /// A transfer whose file stays in the spool, and which may go on with a file that an earlier one left.
    private func spooled(_ admitted: TransferAdmission.Admitted) async throws(TransferError) -> PreparedTransfer {
        var prepared = record(admitted, .free([]))
        prepared.record.request.folder = try await openSpool()
        prepared.record.request.name = SpoolNames.result(prepared.record.id)
        if let source = admitted.request.continues {
            try await takeOver(source, for: &prepared.record, origin: admitted.origin)
        }
        return prepared
    }

    private func record(_ admitted: TransferAdmission.Admitted, _ found: FolderChecks.Finding) -> PreparedTransfer {
        let now = Date()
        let id = TransferID.next(after: lastID, milliseconds: UInt64(max(0, now.timeIntervalSince1970 * 1000)))
        lastID = id
        var record = TransferRecord(
            id: id, createdAt: now, request: admitted.request, credentials: admitted.credentials)
        if case .skipped(let success) = found {
            record.outcome = .succeeded(success)
            record.finishedAt = now
            record.forgetSecrets()
        }
        if isInBackground(record.request.session) {
            record.request.network.isDiscretionary = true
            record.facts.startsAfterRelaunch = true
        }
        if record.isEligible { record.active.begin(at: .now) }
        guard case .free(let candidates) = found else { return PreparedTransfer(record: record, destinations: []) }
        return PreparedTransfer(record: record, destinations: candidates)
    }

    /// Stores one transfer in the transaction of all; a refusal concerns this one alone.
    private static func store(
        _ item: Result<PreparedTransfer, TransferError>, _ transaction: JournalTransaction
    ) throws(TransferError) -> StoredTransfer {
        let prepared: PreparedTransfer
        switch item {
        case .failure(let error): return .refused(error)
        case .success(let value): prepared = value
        }
        var record = prepared.record
        if !prepared.destinations.isEmpty {
            for path in prepared.destinations where try transaction.destinationHolder(path) == nil {
                record.facts.destination = path
                break
            }
            // Where all numbers were taken meanwhile, the first head chooses another.
            if record.facts.destination == nil,
                case .refuse(let error) = record.request.admissionRule.verdict(
                    on: prepared.destinations[0], heldBy: .transfer)
            {
                return .refused(error)
            }
        }
        try transaction.insert(record)
        let session = record.request.session
        if let task = record.request.note?.task { try transaction.noteTask(task, of: session) }
        let number = try transaction.appendEvent(
            kind: .submitted, at: record.createdAt, id: record.id, session: session, snapshot: nil)
        let shown = Transfer(record, live: .waiting(.slot))
        var events = [
            TransferEvent(
                number: number, kind: .submitted, at: record.createdAt, id: record.id, session: session, transfer: shown
            )
        ]
        if record.outcome != nil {
            let last = try transaction.appendEvent(
                kind: .succeeded, at: record.createdAt, id: record.id, session: session, snapshot: shown)
            events.append(
                TransferEvent(
                    number: last, kind: .succeeded, at: record.createdAt, id: record.id, session: session,
                    transfer: shown))
        }
        return .accepted(record, events)
    }
}

/// A transfer that may be stored, and where its file may go; empty where the response decides.
private struct PreparedTransfer: Sendable {
    var record: TransferRecord
    var destinations: [String]
}

/// What the transaction made of a request.
private enum StoredTransfer: Sendable {
    case accepted(TransferRecord, [TransferEvent])
    case refused(TransferError)
}
