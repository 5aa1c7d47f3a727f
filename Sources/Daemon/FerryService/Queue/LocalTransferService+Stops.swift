import FerryCore
import FerryEngine
import FerryQueue

extension LocalTransferService {
    /// Waits until attempts at transfers, or work on their files, have ended once, a few seconds at most.
    ///
    /// - Returns: Whether they have ended in time.
    func ended(_ ids: [TransferID]) async -> Bool {
        let ticket = waiters.enter(for: ids.filter(queue.isBusy))
        return await Patience.wait(atMost: .seconds(configuration.answerLimit), by: clock) {
            await self.wait(with: ticket)
        }
    }

    /// Waits until the commits on transfers that are in progress have ended.
    func committed(_ ids: [TransferID]) async {
        let held = ids.filter { queue.held.contains($0, for: .commit) }
        await wait(with: waiters.enter(for: held))
    }

    private func wait(with ticket: Int) async { await withCheckedContinuation { waiters.wait(ticket, $0) } }

    /// Holds transfers for a commit, once others have ended.
    func holdForCommit(_ ids: [TransferID]) async {
        while ids.contains(where: { queue.held.contains($0, for: .commit) }) { await committed(ids) }
        take(.hold(ids, .commit))
    }

    /// Waits until no attempt at transfers, and no work on their files, is in progress.
    ///
    /// - Returns: The transfers for which that takes too long.
    func stillBusy(_ ids: [TransferID]) async -> [TransferID] {
        while case let busy = ids.filter(queue.isBusy), !busy.isEmpty {
            guard await ended(busy) else { return busy.filter(queue.isBusy) }
        }
        return []
    }

    /// Holds a transfer for work on its files, once nothing else works on them.
    ///
    /// - Throws: ``ServiceError/stillStopping(_:)`` if that takes too long.
    func holdForFiles(_ id: TransferID) async throws(ServiceError) {
        while queue.isBusy(id) {
            guard await stillBusy([id]).isEmpty else { throw .stillStopping(id) }
        }
        take(.hold([id], .files))
    }

    /// Stops all runs for a shutdown. Runs on disks that do not respond are left behind after some seconds.
    ///
    /// - Returns: A task that waits for them to end.
    func stopAll() -> Task<Void, Never> {
        take(.end)
        // Runs held up by an unresponsive disk continue from their last checkpoint at the next start.
        let tasks = running.ids.compactMap { attempts[$0]?.task }
        let limit = Duration.seconds(configuration.stopLimit)
        return Task(name: "end of all runs") {
            await Patience.wait(atMost: limit, by: clock) { for task in tasks { await task.value } }
        }
    }
}
