import ArgumentParser
import FerryClient
import FerryCore
import FerryFoundation

/// `ferry daemon`: manual control of the daemon.
struct DaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "daemon", abstract: "Run, start, stop or inspect the daemon, or start it with the machine.",
        subcommands: [
            DaemonRun.self, DaemonStart.self, DaemonStop.self, DaemonRestart.self, DaemonStatus.self, DaemonEnable.self,
            DaemonDisable.self,
        ])
}

/// Runs the daemon in the foreground.
struct DaemonRun: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "run", abstract: "Run the daemon in the foreground, in this process.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon was asked to stop"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        try context.daemon().run(arguments: [])
    }
}

/// Starts the daemon.
struct DaemonStart: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "start", abstract: "Start the daemon in the background, unless it is running.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon is running"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        let isNew = try await context.daemon().start()
        context.console.say(isNew ? "The daemon has started." : "The daemon is already running.")
        return 0
    }
}

/// Stops the daemon.
struct DaemonStop: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "stop", abstract: "Stop the daemon and wait until it has exited.",
        discussion: "Transfers keep their bytes and continue at the daemon's next start.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon is not running"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        let ran = try await context.daemon().stop()
        context.console.say(ran ? "The daemon has stopped." : "No daemon runs.")
        return 0
    }
}

/// Shows the daemon's status.
struct DaemonStatus: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "status", abstract: "Show the daemon's status without starting it.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon is running"), .own,
        ExitStatus(.daemon, meaning: "the daemon is not running, or cannot be reached"), .usage,
    ]

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        guard let status = try await context.daemon().statusIfRunning() else {
            if json { context.console.print(try JSONText.line(Absence())) }
            context.console.say("No daemon runs.")
            return ErrorCode.daemonUnreachable.row.exitStatus
        }
        context.console.print(json ? [try JSONText.line(status)] : Self.lines(status))
        return 0
    }

    static func lines(_ status: ServiceStatus) -> [String] {
        let counts = TransferState.known.compactMap { state in
            status.transfers[state.rawValue].flatMap { $0 > 0 ? "\($0) \(state.word)" : nil }
        }
        let facts = [
            ("version", status.version), ("pid", "\(status.pid)"), ("started", status.startedAt.formatted(.iso8601)),
            ("transfers", counts.isEmpty ? "none" : counts.joined(separator: ", ")),
        ]
        return (facts + status.warnings.map { ("warning", $0) }).map { name, value in
            (name + ":").fitted(to: 11) + value.escapingControls
        }
    }

    /// The `--json` output without a daemon: the same keys, without values.
    private struct Absence: Encodable {
        func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encodeNil(forKey: .pid)
            try box.encodeNil(forKey: .version)
            try box.encode([String: Int](), forKey: .transfers)
        }

        enum CodingKeys: String, CodingKey { case pid, version, transfers }
    }
}
