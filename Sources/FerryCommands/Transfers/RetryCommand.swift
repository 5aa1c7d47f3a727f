// Ferry: FerryCommands
// ferry retry

import ArgumentParser
import FerryCore

/// Starts ended transfers again.
struct RetryCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Start failed or canceled transfers again, from the bytes they still have.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.retry, json: json, in: context)
    }
}
