import FerryClient
import FerryCore

/// The end of a command that waits for transfers, by a signal.
struct Leaving {
    let context: CommandContext
    let service: any TransferService
    let results: TransferResults

    /// Pauses what has not ended, where the user has asked for the end, and says how to go on.
    ///
    /// - Returns: the exit status.
    func leave(
        _ ids: [TransferID], _ signal: StopSignal, _ hint: ([TransferID]) -> String
    ) async throws -> Int32 {
        guard signal == .interrupt else { return signal.exitStatus }
        var open: [TransferID] = []
        for id in ids {
            let hasEnded = await results.hasEnded(id)
            if !hasEnded { open.append(id) }
        }
        _ = try await service.act(.pause, onMany: TransferSelection(ids: open))
        if !open.isEmpty { context.console.say("paused; go on with: " + hint(open)) }
        return signal.exitStatus
    }
}
