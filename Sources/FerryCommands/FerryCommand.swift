// Ferry: FerryCommands
// The command line as a whole.

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
