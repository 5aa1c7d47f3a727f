import FerryCore
import FerryEngine
import FerryQueue

/// Waiting for attempts and operations to end, and holding transfers for an operation.
extension LiveQueue {
    /// Whether a transfer has a slot, or an operation works on its files.
    nonisolated func isBusy(_ id: TransferID) -> Bool { assumeIsolated { $0.queue.isBusy(id) } }

    /// Whether a commit on a transfer is in progress.
    nonisolated func isCommitting(_ id: TransferID) -> Bool {
        assumeIsolated { $0.queue.held.contains(id, for: .commit) }
    }

    /// Waits until attempts at transfers, or work on their files, have ended once, a few seconds at most.
    ///
    /// - Returns: Whether they have ended in time.
    func ended(_ ids: [TransferID]) async -> Bool {
        let ticket = waiters.enter(for: ids.filter(isBusy))
        return await Patience.wait(atMost: .seconds(configuration.answerLimit), by: clock) {
            await self.wait(with: ticket)
        }
    }

    /// Waits until the commits on transfers that are in progress have ended.
    func committed(_ ids: [TransferID]) async { await wait(with: waiters.enter(for: ids.filter(isCommitting))) }

    private func wait(with ticket: Int) async { await withCheckedContinuation { waiters.wait(ticket, $0) } }

    /// Holds transfers for a commit, once others have ended.
    func holdForCommit(_ ids: [TransferID]) async {
        while ids.contains(where: isCommitting) { await committed(ids) }
        take(.hold(ids, .commit))
    }

    /// Waits until no attempt at transfers, and no work on their files, is in progress.
    ///
    /// - Returns: The transfers for which that takes too long.
    func stillBusy(_ ids: [TransferID]) async -> [TransferID] {
        while case let busy = ids.filter(isBusy), !busy.isEmpty {
            guard await ended(busy) else { return busy.filter(isBusy) }
        }
        return []
    }

    /// Holds a transfer for work on its files, once nothing else works on them.
    ///
    /// - Throws: ``ServiceError/stillStopping(_:)`` if that takes too long.
    func holdForFiles(_ id: TransferID) async throws(ServiceError) {
        while isBusy(id) {
            guard await stillBusy([id]).isEmpty else { throw .stillStopping(id) }
        }
        take(.hold([id], .files))
    }
}
