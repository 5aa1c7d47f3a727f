import FerryClient
import FerryCore

/// The interruption of a waiting command by a signal.
struct Leaving {
    let context: CommandContext
    let service: any TransferService
    let results: TransferResults

    /// Pauses unfinished transfers if the user has interrupted the command, and prints how to resume.
    ///
    /// - Returns: The exit status.
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
        if !open.isEmpty { context.console.say("paused; resume with: " + hint(open)) }
        return signal.exitStatus
    }
}
