import FerryCore
import FerryEngine

extension LocalTransferService {
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
