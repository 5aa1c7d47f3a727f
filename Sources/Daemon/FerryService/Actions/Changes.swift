import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Changes single transfers.
actor Changes {
    private let queue: LiveQueue
    private let journal: any Journal
    private let actions: Actions
    private let answers: SessionMemories
    private let events: LiveEvents
    private let placed: PlacedFiles
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    init(
        _ queue: LiveQueue, journal: any Journal, actions: Actions, answers: SessionMemories, events: LiveEvents,
        placed: PlacedFiles
    ) {
        self.queue = queue
        self.journal = journal
        self.actions = actions
        self.answers = answers
        self.events = events
        self.placed = placed
    }

    func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let isCanceled = try await make(change, to: id)
        if let action = isCanceled ? .cancel : change.action {
            let last = queue.shown(try await journal.existing(id))
            let result = try await actions.act(action, on: TransferSelection(ids: [id]))
            if let error = result.first?.error { throw error }
            // If a state is returned, the removal completes once the disk responds.
            if action == .remove || action == .removeWithFile, result.first?.state == nil {
                queue.schedule()
                return last
            }
        }
        queue.schedule()
        return queue.shown(try await journal.existing(id))
    }

    /// Applies a change to the transfer as stored. Concurrent changes do not undo each other.
    ///
    /// - Returns: Whether the change is an answer that ends the transfer.
    private func make(_ change: TransferChange, to id: TransferID) async throws(ServiceError) -> Bool {
        var change = change
        var isRenamed = false
        while true {
            // A file that is getting its name is renamed afterwards.
            if change.name != nil, change.folder == nil, queue.running.phase(of: id) == .placing {
                _ = await queue.stillBusy([id])
            }
            var record = try await journal.existing(id)
            if case .succeeded = record.outcome, let name = change.name, change.folder == nil {
                try await rename(id, to: name, change.onConflict)
                change.name = nil
                isRenamed = true
                record = try await journal.existing(id)
            }
            var endsTransfer = false
            if change.answer != nil || change.trustAnswer != nil {
                endsTransfer = try await answers.take(change, for: record)
                record = try await journal.existing(id)
            }
            let phase = queue.running.phase(of: id)
            let changed = try change.applied(to: record, in: phase, now: queue.clock.wall)
            if changed.request == record.request {
                if isRenamed { await events.publishLive(.changed, record) }
                return endsTransfer
            }
            if try await put(changed, replacing: record) {
                // The file may have got its former name meanwhile: decide again.
                if change.name != nil, phase == .receiving, queue.running.phase(of: id) != .receiving { continue }
                return endsTransfer
            }
            // The transfer has changed since it was read, for example by finishing: decide again.
        }
    }

    /// Renames the file of a succeeded transfer.
    private func rename(_ id: TransferID, to name: String, _ policy: ConflictPolicy?) async throws(ServiceError) {
        try await queue.holdForFiles(id)
        defer { queue.take(.release([id], .files)) }
        let record = try await journal.existing(id)
        guard case .succeeded(let success) = record.outcome else { return }
        try await placed.rename(record, success, to: name, policy: policy ?? record.request.file.onConflict)
    }

    /// Stores a changed request and applies it to the running or waiting transfer.
    ///
    /// - Returns: False, with nothing changed, if the transfer may have changed since it was read.
    private func put(_ changed: TransferRecord, replacing old: TransferRecord) async throws(ServiceError) -> Bool {
        // An attempt may have started by the end of another commit: decide again.
        guard !queue.isCommitting(old.id) else {
            await queue.committed([old.id])
            return false
        }
        // No attempt may start before a new destination is stored.
        queue.take(.hold([old.id], .commit))
        defer { queue.take(.release([old.id], .commit)) }
        let isPut = try await journal.commit { transaction throws(ServiceError) in
            try transaction.put(changed, replacing: old)
        }
        guard isPut else { return false }
        await queue.takeInOrder(.changed(changed, replacing: old))
        await events.publishLive(.changed, changed)
        return true
    }
}
