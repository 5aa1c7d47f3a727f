// Ferry: FerryCommands
// ferry cancel

import ArgumentParser
import FerryCore

/// Ends transfers.
struct CancelCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End transfers and delete their partial files.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.cancel, json: json, in: context)
    }
}
