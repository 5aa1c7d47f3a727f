// Ferry: FerryCommands
// ferry remove

import ArgumentParser
import FerryCore

/// Forgets transfers.
struct RemoveCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget transfers; those that have not ended are canceled.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Delete the fetched files too.")
    var deleteFile = false

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(deleteFile ? .removeWithFile : .remove, json: json, in: context)
    }
}
