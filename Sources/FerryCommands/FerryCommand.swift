import ArgumentParser
import FerryCore

/// The `ferry` command: its subcommands are all there is.
struct FerryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry",
        abstract: "Fetches files in the background and finishes them whatever happens.",
        version: FerryVersion.current,
        subcommands: [
            GetCommand.self, AddCommand.self, ListCommand.self, InfoCommand.self, WatchCommand.self, WaitCommand.self,
            PauseCommand.self, ResumeCommand.self, CancelCommand.self, RetryCommand.self, RemoveCommand.self,
            QuitCommand.self, DaemonCommand.self,
        ])
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

    static let success = ExitStatus(status: "0", meaning: "success")
    static let daemon = ExitStatus(status: "14", meaning: "the daemon cannot be reached or started")
    static let unknownID = ExitStatus(status: "15", meaning: "no transfer has this id")
    static let usage = ExitStatus(status: "64", meaning: "the command line or a request makes no sense")
    static let own = ExitStatus(status: "1", meaning: "a fault of Ferry's own")

    /// How transfers end; with several transfers the status is that of the first that failed.
    static let transfers = [
        ExitStatus(status: "0", meaning: "every transfer succeeded"),
        own,
        ExitStatus(status: "3", meaning: "the network or the server could not be reached"),
        ExitStatus(status: "4", meaning: "TLS failed, or the certificate is wrong"),
        ExitStatus(status: "5", meaning: "the server answered with an error"),
        ExitStatus(status: "6", meaning: "credentials are missing, or the URL has expired"),
        ExitStatus(status: "7", meaning: "the server's answers make no sense, or the resource changed"),
        ExitStatus(status: "8", meaning: "the size or a checksum differs"),
        ExitStatus(status: "9", meaning: "the disk is full or fails"),
        ExitStatus(status: "10", meaning: "the destination cannot be written, or its name is taken"),
        ExitStatus(status: "11", meaning: "a redirect or a file that is too large was refused"),
        ExitStatus(status: "12", meaning: "the deadline passed"),
        ExitStatus(status: "13", meaning: "the transfer was canceled or removed"),
        daemon,
    ]

    /// The block of lines that ends a help text.
    static func footer(_ statuses: [ExitStatus]) -> String {
        let width = statuses.map(\.status.count).max() ?? 0
        let lines = statuses.map { "  \($0.status.leftPadded(to: width))  \($0.meaning)" }
        return "EXIT STATUS:\n" + lines.joined(separator: "\n")
    }
}
