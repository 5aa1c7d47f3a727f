import ArgumentParser
package import FerryCommands
import FerryCore

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
            DrainCommand.self, SweepCommand.self,
        ])
}

/// Runs a command line of `ferry-fleet`.
package enum FleetProgram {
    /// Runs the command line of this process and returns the exit status.
    package static func main() async -> Int32 {
        await run(Array(CommandLine.arguments.dropFirst()), in: .system())
    }

    /// - Parameter arguments: The arguments without the program's name.
    package static func run(_ arguments: [String], in context: CommandContext) async -> Int32 {
        let status = await perform(arguments, context)
        await context.close()
        return status
    }

    private static func perform(_ arguments: [String], _ context: CommandContext) async -> Int32 {
        do {
            var command = try FleetCommand.parseAsRoot(arguments)
            guard let command = command as? any FerrySubcommand else {
                try command.run()
                return 0
            }
            return try await command.run(in: context)
        } catch let error as ValidationError {
            context.console.say("ferry fleet: " + error.message)
            return ErrorExit.usage.rawValue
        } catch let error as ServiceError {
            context.console.say("ferry fleet: \(error.message.escapingControls) (\(error.word.escapingControls))")
            return error.code.row.exitStatus
        } catch {
            let message = FleetCommand.fullMessage(for: error, columns: context.console.size.columns)
            guard FleetCommand.exitCode(for: error).isSuccess else {
                context.console.say(message)
                return ErrorExit.usage.rawValue
            }
            context.console.print(message)
            return 0
        }
    }
}
