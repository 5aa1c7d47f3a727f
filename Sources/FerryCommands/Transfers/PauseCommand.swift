// Ferry: FerryCommands
// ferry pause

import ArgumentParser
import FerryCore

/// Stops transfers until they are resumed.
struct PauseCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop transfers and keep their bytes.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.pause, json: json, in: context)
    }
}
