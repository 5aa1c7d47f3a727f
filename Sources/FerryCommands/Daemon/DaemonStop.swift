// Ferry: FerryCommands
// ferry daemon stop

import ArgumentParser
import FerryClient

/// Stops the daemon.
struct DaemonStop: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon and wait until it is gone.",
        discussion: "Transfers keep their bytes and go on at the daemon's next start.")
    static let exitStatuses: [ExitStatus] = [ExitStatus(status: "0", meaning: "no daemon runs"), .own, .daemon, .usage]

    func run(in context: CommandContext) async throws -> Int32 {
        let ran = try await context.daemon().stop()
        context.console.say(ran ? "The daemon has stopped." : "No daemon runs.")
        return 0
    }
}
