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
        for (place, template) in admitted.templates.enumerated() {
            guard case .success(let request) = template else { continue }
            do throws(TransferError) { try await engine.check(request.trust) } catch { admitted.refuse(place, error) }
        }
        if admitted.hasSpooled { admitted.setFolder(try await openSpool()) }
        let places = await places(of: admitted)
        configuration.reached(.batchChecked)
        // From here to the commit nobody else gets ids: those of the batch follow each other.
        let drafts = drafts(of: admitted, places)
        let rows = try drafts.rows()
        let session = admitted.session
        let stored = try await noting { () async throws(TransferError) in
            try await journal.commit { transaction throws(TransferError) in
                try Self.store(drafts, rows, starts, in: session, transaction)
            }
        }
        configuration.reached(.requestCommitted)
        lineUp(drafts.pending(without: stored.ended))
        await hub.publish(stored.submitted)
        for event in stored.ends { await hub.publish(event) }
        var failures = starts.map(\.failures)
        if let starts, let (begun, pending) = stored.started {
            failures? += Self.lackingSecrets(begun.lacking)
            await goneOn(starts, begun.events, pending)
        }
        schedule()
        await tellObstacles(of: stored.submitted.ids)
        return TransferBatch.Report(
            results: drafts.results, lastEvent: stored.lastEvent, failures: failures)
    }

    /// What the disk says to the items that may be stored, in their order.
    private func places(of batch: AdmittedBatch) async -> [Result<FolderChecks.Finding, TransferError>] {
        let journal = journal
        var folders = FolderChecks(engine) { paths throws(TransferError) in
            try await journal.read { reader throws(TransferError) in try reader.held(paths) }
        }
        let items = batch.accepted
        guard batch.hasSpooled else { return await folders.check(items, of: batch) }
        // The place of a spooled file is the service's own.
        let spooled = batch.templates.map { (try? $0.get())?.spooled == true }
        var found = await folders.check(items.filter { !spooled[$0.template] }, of: batch).makeIterator()
        return items.map { spooled[$0.template] ? .success(.free([])) : found.next() ?? .success(.free([])) }
    }

    /// Gives ids to the items that may be stored.
    private func drafts(
        of batch: AdmittedBatch, _ places: [Result<FolderChecks.Finding, TransferError>]
    ) -> BatchDrafts {
        var drafts = BatchDrafts(batch, at: Date(), isInBackground: isInBackground(batch.session))
        let milliseconds = UInt64(max(0, drafts.now.timeIntervalSince1970 * 1000))
        var found = places.makeIterator()
        for item in batch.items {
            switch item {
            case .failure(let error): drafts.refuse(error)
            case .success(let item):
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
        let started: (begun: JournalTransaction.Begun, pending: [PendingTransfer])?
        let lastEvent: Int64
    }

    private static func store(
        _ drafts: BatchDrafts, _ rows: [BatchTemplate?], _ starts: BatchStarts?, in session: SessionID,
        _ transaction: JournalTransaction
    ) throws(TransferError) -> Stored {
        let templates = drafts.templates()
        var ended: [TransferRecord] = []
        var lastTask: Int?
        for draft in drafts.items {
            let place = draft.item.template
            guard let template = templates[place], let row = rows[place] else {
                throw TransferError(.internal, "A template of a batch is missing.")
            }
            if let outcome = try store(draft, template, row, transaction) {
                var record = try drafts.record(draft)
                record.outcome = outcome
                if outcome.forgetsSecrets { record.forgetSecrets() }
                record.finishedAt = drafts.now
                try transaction.insert(record)
                ended.append(record)
            }
            if let task = template.task { lastTask = max(lastTask ?? task, task) }
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
        let started = try starts.map { starts throws(TransferError) in try starts.begin(in: session, transaction) }
        return Stored(
            submitted: submitted, ends: ends, ended: Set(ended.map(\.id)), started: started,
            lastEvent: try transaction.lastEvent(of: session))
    }

    /// Stores one transfer; returns what it is to be stored with if it has ended by that.
    private static func store(
        _ draft: BatchDrafts.Draft, _ template: BatchDrafts.Template, _ like: BatchTemplate,
        _ transaction: JournalTransaction
    ) throws(TransferError) -> Outcome? {
        switch draft.place {
        case .success(.skipped(let success)): return .succeeded(success)
        case .failure(let error): return .failed(error)
        case .success(.free(let paths)):
            var row = draft.row
            if template.isSpooled { row.name = SpoolNames.result(draft.id) }
            for path in paths where try transaction.insert(row, like: like, destination: path) { return nil }
            if let path = paths.first, case .refuse(let error) = template.rule.verdict(on: path, heldBy: .transfer) {
                return .failed(error)
            }
            // Where all were taken meanwhile, the first head chooses another.
            _ = try transaction.insert(row, like: like, destination: nil)
            return nil
        }
    }
}
