// Ferry: FerryCommands
// ferry daemon

import ArgumentParser

/// The daemon by hand.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon", abstract: "Run, start or stop the daemon, or see how it is.",
        subcommands: [DaemonRun.self, DaemonStart.self, DaemonStop.self, DaemonStatus.self])
}
