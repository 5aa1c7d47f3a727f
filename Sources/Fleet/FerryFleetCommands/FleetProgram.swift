import ArgumentParser
package import FerryCommands
import FerryCore
import FerryFoundation

/// The `ferry-fleet` command, which people type as `ferry fleet`.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry fleet", abstract: "Many machines that share one queue in PostgreSQL.",
        discussion: """
            Jobs wait in the database. On each machine `ferry fleet run` claims some, lets its ferryd fetch them, and delivers the \
            files into a folder that all machines share.
            """,
        version: FerryVersion.current,
        subcommands: [
            InitCommand.self, MigrateCommand.self, DoctorCommand.self, StoreCommand.self, OriginCommand.self,
            AddCommand.self,
            ListCommand.self, InfoCommand.self, WatchCommand.self, WaitCommand.self, CancelCommand.self,
            PauseCommand.self,
            ResumeCommand.self, RetryCommand.self, RemoveCommand.self, StatusCommand.self, RunCommand.self,
            DrainCommand.self, SweepCommand.self, SettingsCommand.self,
        ])
}

/// Runs a command line of `ferry-fleet`.
package enum FleetProgram {
    /// Runs the command line of this process and returns the exit status.
    package static func main() async -> Int32 {
        await run(Array(ThisProcess.arguments.dropFirst()), in: .system())
    }

    /// - Parameter arguments: The arguments without the program's name.
    package static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        let status = await program.perform(arguments, context) {
            try FleetCommand.parseAsRoot(FerryProgram.separated(arguments))
        }
        await context.close()
        return status
    }

    static let program = CommandProgram(name: "ferry fleet", root: FleetCommand.self)
}
