import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation
import Synchronization

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
        try await fleet.withQueue(in: context) { queue in
            var status: Int32 = 0
            for try await ids in pages(of: queue) {
                for result in try await queue.act(action, on: ids) {
                    if json {
                        context.console.print(try JSONText.line(result))
                    } else if let error = result.error {
                        context.console.say("ferry fleet: \(error.message.escapingControls) (\(error.word))")
                    }
                    if status == 0, let error = result.error { status = error.code.row.exitStatus }
                }
            }
            return status
        }
    }

    private func pages(of queue: any SharedQueue) -> AsyncThrowingStream<[JobID], any Error> {
        var query = JobQuery()
        query.states = state
        query.limit = Self.page
        let isNamed = !ids.isEmpty
        let (start, named) = (query, ids)
        let next = Mutex<(query: JobQuery, isEnd: Bool)>((start, false))
        return AsyncThrowingStream {
            let (query, isEnd) = next.withLock { $0 }
            if isEnd { return nil }
            if isNamed {
                next.withLock { $0.isEnd = true }
                return named
            }
            let page = try await queue.jobs(query).map(\.id)
            next.withLock { next in
                next.query.after = page.last
                next.isEnd = page.count < Self.page
            }
            return page.isEmpty ? nil : page
        }
    }
}

struct CancelCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel jobs. Running ones end with their worker's next heartbeat.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(.cancel, fleet, in: context) }
}

struct PauseCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause jobs. The bytes of running ones are fetched again later.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(.pause, fleet, in: context) }
}

struct ResumeCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume paused jobs; jobs waiting for a retry may be claimed at once.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(.resume, fleet, in: context) }
}

struct RetryCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let failed or canceled jobs wait again.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(.retry, fleet, in: context) }
}

struct RemoveCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove jobs from the list; unfinished ones are canceled. Files stay.")
    static let exitStatuses = ExitStatus.steering

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var jobs: JobOptions

    func run(in context: CommandContext) async throws -> Int32 { try await jobs.act(.remove, fleet, in: context) }
}

extension ExitStatus {
    static let steering: [ExitStatus] = [.success, .daemon, .unknownID, .usage]
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
