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

    @Flag(help: "All jobs.")
    var all = false

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        guard !ids.isEmpty || !state.isEmpty || all else {
            throw ValidationError("Give numbers of jobs, --state or --all.")
        }
        guard ids.isEmpty || (state.isEmpty && !all) else {
            throw ValidationError("Give numbers of jobs, or --state or --all, but not both.")
        }
    }

    /// Number of jobs in one call.
    private static let page = 1000

    func act(_ action: JobAction, _ fleet: FleetOptions, in context: CommandContext) async throws -> Int32 {
        var query = JobQuery()
        query.states = state
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

/// Prints ends as they happen.
struct WatchCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print jobs as they end.",
        discussion: """
            With --json each line has the job and a cursor. `--after CURSOR` goes on from there, and no end is skipped; one may be \
            printed twice.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Option(help: ArgumentHelp("Print the ends after this cursor first.", valueName: "cursor"))
    var after: String?

    @Flag(help: "Print JSON lines.")
    var json = false

    private struct Line: Encodable {
        var cursor: String
        var job: Job
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            var cursor = after
            while true {
                let page = try await queue.ends(after: cursor, limit: 1000)
                cursor = page.next
                for job in page.jobs {
                    let file = (job.result?.path ?? job.destination).escapingControls
                    let error = job.error.map { ": \($0.message.escapingControls)" } ?? ""
                    context.console.print(
                        json
                            ? try JSONText.line(Line(cursor: page.next, job: job))
                            : "\(job.id)  \(job.state.word)  \(file)\(error)")
                }
                if page.jobs.isEmpty { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}

/// Waits for jobs.
struct WaitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until jobs have ended. Without numbers, until none is unfinished.")
    static let exitStatuses = ExitStatus.transfers + [.unknownID, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "Numbers of jobs.", transform: JobArgument.parse)
    var ids: [JobID] = []

    @Flag(help: "Print the ended jobs as JSON lines.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            ids.isEmpty ? try await waitForAll(queue) : try await waitForEach(queue, context)
        }
    }

    private func waitForAll(_ queue: any SharedQueue) async throws -> Int32 {
        var query = JobQuery()
        query.states = [.waiting, .running, .suspended]
        query.limit = 1
        while try await !queue.jobs(query).isEmpty { try await Task.sleep(for: .seconds(1)) }
        return 0
    }

    private func waitForEach(_ queue: any SharedQueue, _ context: CommandContext) async throws -> Int32 {
        var status: Int32 = 0
        for id in ids {
            var job = try await queue.job(id)
            while !job.state.isEnded {
                try await Task.sleep(for: .milliseconds(500))
                job = try await queue.job(id)
            }
            if json { context.console.print(try JSONText.line(job)) }
            let failure = job.error?.code ?? (job.state == .canceled ? .canceled : nil)
            if let failure {
                if status == 0 { status = failure.row.exitStatus }
                if !json {
                    context.console.say(
                        "ferry fleet: job \(id) \(job.state.word)"
                            + (job.error.map { ": \($0.message.escapingControls)" } ?? ""))
                }
            }
        }
        return status
    }
}
