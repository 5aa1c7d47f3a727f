// Ferry: FerryCommands
// A command that does something.

import ArgumentParser

/// A command that does something: parses, calls, renders.
protocol FerrySubcommand: ParsableCommand {
    /// The exit statuses that its help names.
    static var exitStatuses: [ExitStatus] { get }

    /// Returns the exit status.
    func run(in context: CommandContext) async throws -> Int32
}
