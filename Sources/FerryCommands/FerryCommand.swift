import ArgumentParser
import FerryCore

/// The `ferry` command: its subcommands are all there is.
struct FerryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry",
        abstract: "Fetches files in the background and finishes them whatever happens.",
        version: FerryVersion.current,
        subcommands: [
            GetCommand.self, AddCommand.self, PutCommand.self, ListCommand.self, InfoCommand.self, WatchCommand.self,
            WaitCommand.self,
            PauseCommand.self, ResumeCommand.self, CancelCommand.self, RetryCommand.self, RemoveCommand.self,
            ClearCommand.self, SetCommand.self, LimitCommand.self, QuitCommand.self, SettingsCommand.self,
            GatewayCommand.self, WebCommand.self, NativeHostCommand.self, DaemonCommand.self, DoctorCommand.self,
            CompletionsCommand.self,
            ManualCommand.self,
        ])
}

extension CommandConfiguration {
    /// Of a command of ferry's own.
    init(
        verb: String, abstract: String, discussion: String = "", subcommands: [any ParsableCommand.Type] = []
    ) {
        self.init(commandName: verb, abstract: abstract, discussion: discussion, subcommands: subcommands)
        // A command that is parsed alone looks for requests for completion scripts, with parsers of their own, unless it
        // says that another one is above it; `ferry completions` prints them.
        _superCommandName = "ferry"
    }
}

/// A command that does something: parses, calls, renders.
protocol FerrySubcommand: ParsableCommand {
    /// The exit statuses that its help names.
    static var exitStatuses: [ExitStatus] { get }

    /// Returns the exit status.
    func run(in context: CommandContext) async throws -> Int32
}

/// One line of the list of exit statuses at the end of a command's help.
struct ExitStatus {
    var status: String
    var meaning: String

    init(status: String, meaning: String) {
        self.status = status
        self.meaning = meaning
    }

    /// - Parameter meaning: what it is for here; nil for what the error table says.
    init(_ exit: ErrorExit, meaning: String? = nil) {
        self.init(status: String(exit.rawValue), meaning: meaning ?? exit.meaning)
    }

    init(_ signal: StopSignal, meaning: String) {
        self.init(status: String(signal.exitStatus), meaning: meaning)
    }

    static let success = ExitStatus(status: "0", meaning: "success")
    static let daemon = ExitStatus(.daemon)
    static let unknownID = ExitStatus(.unknownTransfer)
    static let usage = ExitStatus(.usage)
    static let own = ExitStatus(.own)

    /// How transfers end; with several transfers the status is that of the first that failed.
    static let transfers =
        [ExitStatus(status: "0", meaning: "every transfer succeeded")]
        + ErrorExit.allCases.filter(\.isOfTransfer).map { ExitStatus($0) }

    /// The block of lines that ends a help text.
    static func footer(_ statuses: [ExitStatus]) -> String {
        let width = statuses.map(\.status.count).max() ?? 0
        let lines = statuses.map { "  \($0.status.leftPadded(to: width))  \($0.meaning)" }
        return "EXIT STATUS:\n" + lines.joined(separator: "\n")
    }
}
