// Ferry: FerryCommands
// ferry daemon run

import ArgumentParser
import FerryClient

/// Becomes the daemon.
struct DaemonRun: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the daemon in the foreground, in the place of this command.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon was asked to end"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        try context.daemon().run(arguments: [])
    }
}
