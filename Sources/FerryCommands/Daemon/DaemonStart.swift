// Ferry: FerryCommands
// ferry daemon start

import ArgumentParser
import FerryClient

/// Starts the daemon.
struct DaemonStart: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the daemon in the background, unless it runs.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon runs"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        let isNew = try await context.daemon().start()
        context.console.say(isNew ? "The daemon has started." : "The daemon runs already.")
        return 0
    }
}
