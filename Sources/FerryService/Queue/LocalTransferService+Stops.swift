import FerryCore
import FerryEngine

extension LocalTransferService {
    /// Suspends a transfer that is about to finish. Only its completion is published.
    func suspendSilently(_ record: TransferRecord) async throws(ServiceError) {
        let id = record.id
        let situation = CommandSituation(now: clock.active)
        _ = try await journal.commit { transaction throws(ServiceError) in
            try transaction.command(.pause, for: id, isSilent: true, at: situation)
        }
    }

    /// Stops runs, and waits a few seconds at most for a disk that does not respond.
    ///
    /// The user's intent is already in the journal. A run left behind shows it at once. Its remaining work is done when
    /// it ends, or at the next start.
    /// - Returns: The transfers with runs that have not ended.
    @discardableResult
    func stopBriefly(_ ids: [TransferID]) async -> [TransferID] {
        let tasks = attempts(of: ids)
        guard !tasks.isEmpty else { return [] }
        take(.stop(ids))
        await Patience.wait(atMost: .seconds(configuration.answerLimit), by: clock) {
            for task in tasks { await task.value }
        }
        let left = ids.filter(running.contains)
        take(.left(left))
        return left
    }

    /// Returns the current attempts of some transfers.
    private func attempts(of ids: [TransferID]) -> [Task<Void, Never>] { ids.compactMap { attempts[$0]?.task } }

    /// Waits a few seconds at most for stopping runs.
    ///
    /// - Returns: The transfers with runs that have not ended.
    func stillRunning(_ ids: [TransferID]) async -> [TransferID] {
        let tasks = attempts(of: ids)
        let limit = Duration.seconds(configuration.answerLimit)
        guard !tasks.isEmpty,
            await !Patience.wait(atMost: limit, by: clock, for: { for task in tasks { await task.value } })
        else {
            return []
        }
        return ids.filter(running.contains)
    }

    /// Stops all runs for a shutdown. Runs on disks that do not respond are left behind after some seconds.
    ///
    /// - Returns: A task that waits for them to end.
    func stopAll() -> Task<Void, Never> {
        take(.end)
        // Runs held up by an unresponsive disk continue from their last checkpoint at the next start.
        let tasks = attempts(of: running.ids)
        let limit = Duration.seconds(configuration.stopLimit)
        return Task(name: "end of all runs") {
            await Patience.wait(atMost: limit, by: clock) { for task in tasks { await task.value } }
        }
    }
}
