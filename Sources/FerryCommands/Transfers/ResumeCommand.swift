// Ferry: FerryCommands
// ferry resume

import ArgumentParser
import FerryCore

/// Lets transfers go on.
struct ResumeCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let paused transfers go on; what waits for a retry tries at once.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @OptionGroup var transfers: SelectionOptions

    @Flag(help: "Print what came of it as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await transfers.act(.resume, json: json, in: context)
    }
}
