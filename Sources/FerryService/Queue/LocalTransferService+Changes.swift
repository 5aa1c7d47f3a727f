package import FerryCore
import FerryEngine
import Foundation

/// Changing one transfer.
extension LocalTransferService {
    package func change(_ id: TransferID, _ change: TransferChange) async throws(ServiceError) -> Transfer {
        let isCanceled = try await make(change, to: id)
        if let action = isCanceled ? .cancel : change.action {
            let result = try await act(action, on: TransferSelection(ids: [id]))
            if let error = result.first?.error { throw error }
            // If a state is returned, the removal completes once the disk responds.
            if action == .remove || action == .removeWithFile, result.first?.state == nil {
                throw ServiceError(.unknownTransfer, "The transfer \(id) was removed.")
            }
        }
        schedule()
        return shown(try await existing(id))
    }

    /// Applies a change while holding the transfer's lock, so that concurrent changes do not undo each other.
    ///
    /// - Returns: Whether the change is an answer that ends the transfer.
    private func make(_ change: TransferChange, to id: TransferID) async throws(ServiceError) -> Bool {
        await lock(id)
        defer { unlock(id) }
        var change = change
        var isRenamed = false
        while true {
            var record = try await existing(id)
            if case .succeeded(let success) = record.outcome, let name = change.name, change.folder == nil {
                let (found, policy) = (record, change.onConflict ?? record.request.onConflict)
                try await noting { () async throws(ServiceError) in
                    try await placed.rename(found, success, to: name, policy: policy)
                }
                change.name = nil
                isRenamed = true
                record = try await existing(id)
            }
            var endsTransfer = false
            if change.answer != nil || change.trustAnswer != nil {
                endsTransfer = try await take(change, for: record)
                record = try await existing(id)
            }
            let changed = try change.applied(to: record, isRunning: running.contains(id), now: clock.wall)
            if changed.request == record.request {
                if isRenamed { await publishLive(.changed, record) }
                return endsTransfer
            }
            if try await put(changed, replacing: record) { return endsTransfer }
            // The transfer has changed since it was read, for example by finishing: decide again.
        }
    }

    /// Stores a changed request and applies it to the running or waiting transfer.
    ///
    /// - Returns: False, with nothing changed, if the transfer has changed since it was read.
    private func put(_ changed: TransferRecord, replacing old: TransferRecord) async throws(ServiceError) -> Bool {
        // The destination changes: no attempt may start before that is stored.
        let (request, former) = (changed.request, old.request)
        let moves = request.name != former.name || request.folder != former.folder
        take(.changing(old.id, of: former.session, withholds: moves))
        do throws(ServiceError) {
            let isPut = try await noting { () async throws(ServiceError) in
                try await journal.commit { transaction throws(ServiceError) in
                    try transaction.put(changed, replacing: old)
                }
            }
            guard isPut else {
                take(.unchanged(old.id))
                return false
            }
        } catch {
            take(.unchanged(old.id))
            throw error
        }
        await follow(changed, replacing: old)
        await publishLive(.changed, changed)
        return true
    }

    /// Applies a committed change to the running or waiting transfer.
    func follow(_ changed: TransferRecord, replacing old: TransferRecord) async {
        await performInOrder(queue.take(.changed(changed, replacing: old), at: moment))
    }
}
