import FerryCore
import FerryEngine

extension LocalTransferService {
    /// Stops runs, and waits a few seconds at most for a disk that does not answer.
    ///
    /// What the user wishes is in the journal by then. A run that is left shows it at once, and what remains to be done is
    /// done when the run has ended, or at the next start.
    /// - Returns: the transfers whose runs have not ended.
    @discardableResult
    func stopBriefly(_ ids: [TransferID]) async -> [TransferID] {
        let tasks = attempts(of: ids)
        guard !tasks.isEmpty else { return [] }
        take(.stop(ids))
        await Patience.wait(atMost: .seconds(configuration.answerLimit)) { for task in tasks { await task.value } }
        let left = ids.filter(running.contains)
        take(.left(left))
        return left
    }

    /// The attempts that are under way of some transfers.
    private func attempts(of ids: [TransferID]) -> [Task<Void, Never>] { ids.compactMap { attempts[$0]?.task } }

    /// Whether a run that is about to end does so before a few seconds have passed.
    func endsSoon(_ id: TransferID) async -> Bool { await stillRunning([id]).isEmpty }

    /// Waits a few seconds at most for runs that are about to end.
    ///
    /// - Returns: the transfers whose runs have not ended.
    func stillRunning(_ ids: [TransferID]) async -> [TransferID] {
        let tasks = attempts(of: ids)
        let limit = Duration.seconds(configuration.answerLimit)
        guard !tasks.isEmpty, await !Patience.wait(atMost: limit, for: { for task in tasks { await task.value } })
        else {
            return []
        }
        return ids.filter(running.contains)
    }

    /// Why nothing can begin that needs the files of a transfer.
    static func stillStopping(_ id: TransferID) -> ServiceError {
        ServiceError(
            .diskIO,
            "Transfer \(id) has not stopped, as its disk does not answer. What was asked of it before holds; ask again once "
                + "the disk answers.")
    }

    /// Stops all runs, as the service is about to end; runs whose disks do not answer are left after some seconds.
    ///
    /// - Returns: the wait for their ends.
    func stopAll() -> Task<Void, Never> {
        take(.end)
        // What a disk that does not answer holds up goes on from its last checkpoint at the next start.
        let tasks = attempts(of: running.ids)
        let limit = Duration.seconds(configuration.stopLimit)
        return Task(name: "end of all runs") {
            await Patience.wait(atMost: limit) { for task in tasks { await task.value } }
        }
    }
}
