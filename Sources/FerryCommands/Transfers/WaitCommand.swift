// Ferry: FerryCommands
// ferry wait

import ArgumentParser
import FerryCore

/// Waits until transfers end.
struct WaitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until transfers end.",
        discussion: "Ctrl-C ends the waiting; the transfers go on.")
    static let exitStatuses =
        ExitStatus.transfers + [
            .unknownID, .usage, ExitStatus(status: "130", meaning: "interrupted; the transfers go on"),
        ]

    @Argument(help: "The transfers.")
    var id: [String]

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have ended.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let ids = try id.transferIDs()
        let results = TransferResults()
        let wait = TransferWait(
            context: context, service: try context.service(),
            display: ProgressDisplay(context, total: ids.count, isQuiet: quiet), signals: context.console.stopSignals())
        if case .stopped(let signal) = try await wait.run(ids, onUpdate: { await results.take($0) }) {
            return signal.exitStatus
        }
        let known = await results.transfers
        let transfers = ids.compactMap { known[$0] }
        if json { context.console.print(try JSONText.array(transfers)) }
        return transfers.lazy.map(\.exitStatus).first { $0 != 0 } ?? 0
    }
}
