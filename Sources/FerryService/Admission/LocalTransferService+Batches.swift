// Ferry: FerryService
// From a batch to transfers in the journal.

package import FerryCore
import FerryEngine
import FerryStore
import Foundation

extension LocalTransferService {
    package func submit(_ batch: TransferBatch) async throws(TransferError) -> TransferBatch.Report {
        guard !isShuttingDown else { throw TransferError(.daemonUnreachable, "The daemon is ending.") }
        guard let starts = batch.starts, !starts.isEmpty, let session = batch.templates.first?.session else {
            return try await submit(batch, starting: nil)
        }
        return try await withStarts(starts, of: session) { starts throws(TransferError) in
            try await submit(batch, starting: starts)
        }
    }

    private func submit(
        _ batch: TransferBatch, starting starts: BatchStarts?
    ) async throws(TransferError) -> TransferBatch.Report {
        var admitted = try await AdmittedBatch(batch)
        if admitted.hasSpooled { admitted.setFolder(try await openSpool()) }
        let places = await places(of: admitted)
        configuration.reached(.batchChecked)
        // From here to the commit nobody else gets ids: those of the batch follow each other.
        let drafts = drafts(of: admitted, places)
        let templates = try drafts.templates()
        let session = admitted.session
        let stored = try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                try Self.store(drafts, templates, starts, in: session, transaction)
            }
        }
        configuration.reached(.requestCommitted)
        let pending = drafts.items.filter { !stored.ended.contains($0.id) && !$0.item.request.paused }
        lineUp(pending.map(\.pending))
        for draft in drafts.items where draft.item.request.paused {
            if let deadline = draft.item.request.deadline { setDeadline(deadline, of: draft.id) }
        }
        await hub.publish(stored.submitted)
        for event in stored.ends { await hub.publish(event) }
        if let starts, let begun = stored.begun { await goneOn(starts, begun.events, begun.pending) }
        schedule()
        await tellObstacles(of: drafts.items.map(\.id))
        return TransferBatch.Report(
            results: drafts.results, lastEvent: stored.lastEvent, failures: starts.map(\.failures))
    }

    /// What the disk says to the items that may be stored, in their order.
    private func places(of batch: AdmittedBatch) async -> [Result<FolderChecks.Finding, TransferError>] {
        let journal = journal
        var folders = FolderChecks(disk: engine.disk) { paths throws(TransferError) in
            try await journal.read { reader throws(TransferError) in try reader.held(paths) }
        }
        let requests = batch.accepted.map(\.request)
        var found = await folders.check(requests.filter { !$0.spooled }).makeIterator()
        // The place of a spooled file is the service's own.
        return requests.map { $0.spooled ? .success(.free([])) : found.next() ?? .success(.free([])) }
    }

    /// Gives ids to the items that may be stored.
    private func drafts(
        of batch: AdmittedBatch, _ places: [Result<FolderChecks.Finding, TransferError>]
    ) -> BatchDrafts {
        var drafts = BatchDrafts(at: Date(), isInBackground: isInBackground(batch.session))
        var found = places.makeIterator()
        for item in batch.items {
            switch item {
            case .failure(let error): drafts.refuse(error)
            case .success(let item):
                let milliseconds = UInt64(max(0, drafts.now.timeIntervalSince1970 * 1000))
                let id = TransferID.next(after: lastID, milliseconds: milliseconds)
                lastID = id
                drafts.accept(item, id, found.next() ?? .success(.free([])))
            }
        }
        return drafts
    }

    // MARK: The transaction

    private struct Stored: Sendable {
        let submitted: EventRun
        /// Events of those that ended at once.
        let ends: [TransferEvent]
        let ended: Set<TransferID>
        /// What goes on.
        let begun: (events: EventRun, pending: [PendingTransfer])?
        let lastEvent: Int64
    }

    private static func store(
        _ drafts: BatchDrafts, _ templates: [Int: BatchTemplate], _ starts: BatchStarts?, in session: SessionID,
        _ transaction: JournalTransaction
    ) throws(TransferError) -> Stored {
        var ended: [TransferRecord] = []
        var lastTask: Int?
        for draft in drafts.items {
            if let record = try store(draft, templates[draft.item.template], drafts.now, transaction) {
                ended.append(record)
            }
            if let task = draft.item.request.note?.task { lastTask = max(lastTask ?? task, task) }
        }
        if let lastTask { try transaction.noteTask(lastTask, of: session) }
        let submitted = try transaction.appendEvents(
            kind: .submitted, at: drafts.now, ids: drafts.items.map(\.id), session: session)
        var ends: [TransferEvent] = []
        for record in ended {
            let shown = Transfer(record, live: .waiting(.slot))
            let kind: TransferEvent.Kind = shown.state == .succeeded ? .succeeded : .failed
            let number = try transaction.appendEvent(
                kind: kind, at: drafts.now, id: record.id, session: session, snapshot: shown)
            ends.append(
                TransferEvent(
                    number: number, kind: kind, at: drafts.now, id: record.id, session: session, transfer: shown))
        }
        let begun = try starts.map { starts throws(TransferError) in try starts.begin(in: session, transaction) }
        return Stored(
            submitted: submitted, ends: ends, ended: Set(ended.map(\.id)), begun: begun,
            lastEvent: try transaction.lastEvent(of: session))
    }

    /// Stores one transfer; returns it if it has ended by that.
    private static func store(
        _ draft: BatchDrafts.Draft, _ template: BatchTemplate?, _ now: Date, _ transaction: JournalTransaction
    ) throws(TransferError) -> TransferRecord? {
        let outcome: Outcome
        switch draft.place {
        case .success(.skipped(let success)): outcome = .succeeded(success)
        case .failure(let error): outcome = .failed(error)
        case .success(.free(let paths)):
            guard let template else { throw TransferError(.internal, "A template of a batch is missing.") }
            let row = draft.row
            if paths.isEmpty {
                _ = try transaction.insert(row, like: template, destination: nil)
                return nil
            }
            for path in paths where try transaction.insert(row, like: template, destination: path) { return nil }
            guard draft.item.request.onConflict != .unique else {
                // All were taken meanwhile: the first head chooses another.
                _ = try transaction.insert(row, like: template, destination: nil)
                return nil
            }
            outcome = .failed(
                TransferError(
                    .destinationExists, "Another transfer is fetching to \(paths[0].escapingControls)."))
        }
        var record = draft.record(at: now)
        record.outcome = outcome
        record.finishedAt = now
        try transaction.insert(record)
        return record
    }
}
