import ArgumentParser
import FerryClient
import FerryCore
import FerryFoundation
import FerrySystem

/// Makes systemd start the daemon with the machine.
struct DaemonEnable: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "enable", abstract: "Start the daemon with the machine, so that transfers continue after a reboot.",
        discussion: """
            Hands the daemon to the systemd of the user, writes a unit unless a package has installed one, and turns lingering \
            on (loginctl enable-linger), so that systemd starts the daemon before the user logs in. It says each step.
            """)
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon runs, and starts with the machine"), .own, .daemon, .usage,
    ]

    @Flag(name: .customLong("print"), help: "Print the unit and change nothing.")
    var prints = false

    @Option(
        help: ArgumentHelp("The daemon's program in the unit (default: the installed one).", valueName: "path"),
        completion: .file())
    var program: String?

    func run(in context: CommandContext) async throws -> Int32 {
        let daemon = try context.daemon()
        guard !prints else {
            // A given path may have specifiers of systemd, such as %h.
            let path = try program.map { $0.contains(" ") ? "\"\($0)\"" : $0 } ?? DaemonUnit.quoted(daemon.executable())
            context.console.write(DaemonUnit.text(program: path), to: .output)
            return 0
        }
        guard context.environment["FERRY_HOME"] == nil else {
            throw ValidationError(
                "FERRY_HOME is set, and systemd starts the daemon of your home folder; unset it first.")
        }
        let unit = try DaemonUnit(context)
        let manager = try UserManager(context)
        if program == nil, let installed = DaemonUnit.installed() {
            context.console.say("unit: \(installed)")
        } else {
            let isWritten = try unit.write(program: program.map(context.typedPath.folder) ?? daemon.executable())
            context.console.say("unit: \(unit.path.escapingControls) (\(isWritten ? "written" : "your own, kept"))")
        }
        // Only one daemon can run, and this one is to be systemd's.
        if !UserManager.runsDaemon(in: context), try await daemon.stop() {
            context.console.say("The daemon has stopped, for systemd to start it.")
        }
        try manager.call("daemon-reload")
        try manager.call("enable", "--now", DaemonUnit.name)
        context.console.say("The daemon runs, and starts with your sessions.")
        let linger = context.runProgram(["loginctl", "enable-linger"])
        guard linger.succeeded else {
            let cause = linger.firstLine.map { ": \($0.escapingControls)" } ?? ""
            context.console.say(
                "Lingering cannot be turned on\(cause). Until an administrator runs `loginctl enable-linger USER`, the daemon starts when you log in and stops when you log out."
            )
            return ErrorExit.own.rawValue
        }
        context.console.say("Lingering is on: the daemon starts with the machine, and keeps running when you log out.")
        return 0
    }
}

/// Undoes `ferry daemon enable`.
struct DaemonDisable: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "disable", abstract: "Do not start the daemon with the machine; the next command that needs it starts it."
    )
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    func run(in context: CommandContext) async throws -> Int32 {
        let unit = try DaemonUnit(context)
        let manager = try UserManager(context)
        try manager.call("disable", "--now", DaemonUnit.name)
        context.console.say("The daemon has stopped, and does not start with the machine any more.")
        if unit.remove() {
            try manager.call("daemon-reload")
            context.console.say("removed: \(unit.path.escapingControls)")
        }
        context.console.say(
            "Lingering stays as it is, since other services may need it; loginctl disable-linger turns it off.")
        return 0
    }
}

/// Starts the daemon anew, for instance after an upgrade.
struct DaemonRestart: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "restart", abstract: "Stop the daemon and start it again; transfers keep their bytes and continue.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "the daemon is running"), .own, .daemon, .usage,
    ]

    func run(in context: CommandContext) async throws -> Int32 {
        if context.environment["FERRY_HOME"] == nil, UserManager.runsDaemon(in: context) {
            try UserManager(context).call("restart", DaemonUnit.name)
        } else {
            let daemon = try context.daemon()
            _ = try await daemon.stop()
            _ = try await daemon.start()
        }
        context.console.say("The daemon has started.")
        return 0
    }
}
