import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation

/// The jobs of an action.
struct JobOptions: ParsableArguments {
    @Argument(help: "Numbers of jobs.", transform: JobArgument.parse)
    var ids: [JobID] = []

    @Option(
        help: ArgumentHelp("All jobs in this state; can be given several times.", valueName: "state"),
        transform: StateArgument.parse)
    var state: [TransferState] = []

    @OptionGroup var filter: FilterOptions

    @Flag(help: "All jobs.")
    var all = false

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        let selects = !state.isEmpty || all || !filter.isEmpty
        guard !ids.isEmpty || selects else {
            throw ValidationError("Give numbers of jobs, --state, --code, --host, --batch or --all.")
        }
        guard ids.isEmpty || !selects else {
            throw ValidationError("Give numbers of jobs, or --state or --all, but not both.")
        }
    }

    /// Number of jobs in one call.
    private static let page = 1000

    func act(_ action: JobAction, _ fleet: FleetOptions, in context: CommandContext) async throws -> Int32 {
        var query = filter.query
        // Succeeded jobs cannot be retried, so a selection leaves them out.
        query.states = state.isEmpty && action == .retry ? [.failed, .canceled] : state
        query.limit = Self.page
        return try await fleet.withQueue(in: context) { queue in
            var status: Int32 = 0
            var page = ids.isEmpty ? try await queue.jobs(query).map(\.id) : ids
            while !page.isEmpty {
                for result in try await queue.act(action, on: page) {
                    if json {
                        context.console.print(try JSONText.line(result))
                    } else if let error = result.error {
                        context.console.say("ferry fleet: \(error.message.escapingControls) (\(error.word))")
                    }
                    if status == 0, let error = result.error { status = error.code.row.exitStatus }
                }
                guard ids.isEmpty, page.count == Self.page else { break }
                query.after = page.last
                page = try await queue.jobs(query).map(\.id)
            }
            return status
        }
    }
}

/// A command that performs one action on the named jobs.
protocol SteeringCommand: FerrySubcommand {
    static var action: JobAction { get }
    var fleet: FleetOptions { get }
    var jobs: JobOptions { get }
}

extension SteeringCommand {
    static var exitStatuses: [ExitStatus] { [.success, .daemon, .unknownID, .usage] }

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(Self.action, fleet, in: context) }
}

struct CancelCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs. Running ones end with their worker's next heartbeat.")
    static let action = JobAction.cancel

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions
}

struct PauseCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause jobs. The bytes of running ones are fetched again later.")
    static let action = JobAction.pause

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions
}

struct ResumeCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused jobs; jobs waiting for a retry may be claimed at once.")
    static let action = JobAction.resume

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions
}

struct RetryCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let failed or canceled jobs wait again.")
    static let action = JobAction.retry

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions
}

struct RemoveCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove jobs from the list; unfinished ones are canceled. Files stay.")
    static let action = JobAction.remove

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions
}
