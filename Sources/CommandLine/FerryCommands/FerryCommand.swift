package import ArgumentParser
package import FerryCore

/// The `ferry` command. Everything is in its subcommands.
struct FerryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry",
        abstract: "Downloads files in the background, and finishes them whatever happens.",
        discussion: """
            ferry get https://example.org/a.iso   Ctrl-C pauses; the same command resumes
            ferry add -i urls.txt -d ~/Downloads  queues a list of URLs and returns
            ferry list                            shows transfers and their progress
            """,
        version: FerryVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Download and upload", subcommands: [GetCommand.self, AddCommand.self, PutCommand.self]),
            CommandGroup(
                name: "Follow transfers",
                subcommands: [ListCommand.self, InfoCommand.self, WatchCommand.self, WaitCommand.self]),
            CommandGroup(
                name: "Change transfers",
                subcommands: [
                    PauseCommand.self, ResumeCommand.self, CancelCommand.self, RetryCommand.self, RemoveCommand.self,
                    ClearCommand.self, SetCommand.self, LimitCommand.self,
                ]),
            CommandGroup(
                name: "The daemon",
                subcommands: [DaemonCommand.self, SettingsCommand.self, DoctorCommand.self, QuitCommand.self]),
            CommandGroup(
                name: "Browsers and other machines",
                subcommands: [
                    WebCommand.self, GatewayCommand.self, NativeHostCommand.self, FleetPassthroughCommand.self,
                ]),
            CommandGroup(name: "Shell", subcommands: [CompletionsCommand.self, ManualCommand.self]),
        ])
}

extension CommandConfiguration {
    /// Creates the configuration of a subcommand.
    init(
        verb: String, abstract: String, discussion: String = "", subcommands: [any ParsableCommand.Type] = []
    ) {
        self.init(commandName: verb, abstract: abstract, discussion: discussion, subcommands: subcommands)
        // Otherwise a command parsed on its own would handle completion script requests with its own parsers. `ferry
        // completions` prints the scripts.
        _superCommandName = "ferry"
    }
}

/// A subcommand with an action.
package protocol FerrySubcommand: ParsableCommand {
    /// The exit statuses listed in its help.
    static var exitStatuses: [ExitStatus] { get }

    /// Runs the command and returns the exit status.
    func run(in context: CommandContext) async throws -> Int32
}

/// A line of the exit status list in a command's help.
package struct ExitStatus {
    var status: String
    var meaning: String

    package init(status: String, meaning: String) {
        self.status = status
        self.meaning = meaning
    }

    /// - Parameter meaning: The meaning for this command. Nil uses that of the error table.
    package init(_ exit: ErrorExit, meaning: String? = nil) {
        self.init(status: String(exit.rawValue), meaning: meaning ?? exit.meaning)
    }

    init(_ signal: StopSignal, meaning: String) {
        self.init(status: String(signal.exitStatus), meaning: meaning)
    }

    package static let success = ExitStatus(status: "0", meaning: "success")
    package static let daemon = ExitStatus(.daemon)
    package static let unknownID = ExitStatus(.unknownTransfer)
    package static let usage = ExitStatus(.usage)
    package static let own = ExitStatus(.own)

    /// Statuses for finished transfers. With several transfers it is that of the first failure.
    package static let transfers =
        [ExitStatus(status: "0", meaning: "every transfer succeeded")]
        + ErrorExit.allCases.filter(\.isOfTransfer).map { ExitStatus($0) }

    /// The exit status list at the end of a help text.
    package static func footer(_ statuses: [ExitStatus]) -> String {
        let width = statuses.map(\.status.count).max() ?? 0
        let lines = statuses.map { "  \($0.status.leftPadded(to: width))  \($0.meaning)" }
        return "EXIT STATUS:\n" + lines.joined(separator: "\n")
    }
}
