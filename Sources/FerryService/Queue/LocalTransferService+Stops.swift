import FerryCore
import FerryEngine

extension LocalTransferService {
    /// Stops a run and waits until everything that it wrote is durable, however long its disk takes.
    func stop(_ id: TransferID) async {
        queue.running.stop([id])
        guard let attempt = attempts[id] else { return }
        await attempt.run?.stop()
        await attempt.task?.value
    }

    /// Stops runs together and waits until everything that they wrote is durable.
    func stop(_ ids: [TransferID]) async {
        let stopping = queue.running.stop(ids)
        await withTaskGroup(of: Void.self) { group in
            for id in stopping { group.addTask { await self.stop(id) } }
        }
    }

    /// Stops runs, and waits a few seconds at most for a disk that does not answer.
    ///
    /// What the user wishes is in the journal by then. A run that is left shows it at once, and what remains to be done is
    /// done when the run has ended, or at the next start.
    /// - Returns: the transfers whose runs have not ended.
    @discardableResult
    func stopBriefly(_ ids: [TransferID]) async -> [TransferID] {
        let stopping = ids.filter(running.contains)
        guard !stopping.isEmpty else { return [] }
        await Patience.wait(atMost: .seconds(configuration.answerLimit)) { await self.stop(stopping) }
        return queue.running.leave(stopping)
    }

    /// Whether a run that is about to end does so before a few seconds have passed.
    func endsSoon(_ id: TransferID) async -> Bool { await stillRunning([id]).isEmpty }

    /// Waits a few seconds at most for runs that are about to end; what of them has not ended then.
    func stillRunning(_ ids: [TransferID]) async -> [TransferID] {
        let tasks = ids.compactMap { attempts[$0]?.task }
        let limit = Duration.seconds(configuration.answerLimit)
        guard !tasks.isEmpty, await !Patience.wait(atMost: limit, for: { for task in tasks { await task.value } })
        else {
            return []
        }
        return ids.filter(running.contains)
    }

    /// Why nothing can begin that needs the files of a transfer.
    static func stillStopping(_ id: TransferID) -> TransferError {
        TransferError(
            .diskIO,
            "Transfer \(id) has not stopped, as its disk does not answer. What was asked of it before holds; ask again once "
                + "the disk answers.")
    }

    /// Stops all runs, as the service is about to end; those whose disks do not answer are left after some seconds.
    ///
    /// - Returns: the wait for their ends.
    func stopAll() -> Task<Void, Never> {
        // Transfers that have a slot and no attempt yet are marked with the others, and make none. What a disk that
        // does not answer holds up goes on from its last checkpoint at the next start.
        let stopping = queue.running.stop(running.ids)
        let limit = Duration.seconds(configuration.stopLimit)
        return Task(name: "end of all runs") {
            await Patience.wait(atMost: limit) { await self.stop(stopping) }
        }
    }
}
