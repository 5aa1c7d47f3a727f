import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation

/// Prints ends as they happen.
struct WatchCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print jobs as they end.",
        discussion: """
            With --json each line has a job and the cursor after it. `--after CURSOR` goes on from there, and no end is skipped; \
            one may be printed twice. A database that is away is waited for.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Option(help: ArgumentHelp("Print the ends after this cursor first.", valueName: "cursor"))
    var after: String?

    @Flag(help: "Print JSON lines.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            // A mistake in the address or the cursor ends the command.
            let first = try await queue.ends(after: after, limit: 1)
            var cursor = after ?? first.next
            var patience = QueuePatience(context.console)
            while true {
                let place = cursor
                let page = try await patience.call { () throws(ServiceError) in
                    try await queue.ends(after: place, limit: 1000)
                }
                cursor = page.next
                for end in page.ends { context.console.print(json ? try JSONText.line(end) : Self.line(end.job)) }
                if page.ends.isEmpty { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }

    private static func line(_ job: Job) -> String {
        let file = (job.result?.path ?? job.destination).escapingControls
        let error = job.error.map { ": \($0.message.escapingControls)" } ?? ""
        return "\(job.id)  \(job.state.word)  \(file)\(error)"
    }
}

/// Waits for jobs.
struct WaitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until jobs have ended.",
        discussion: """
            Without numbers and --batch, until none is unfinished. Of several jobs, the first that failed decides the exit status. \
            A database that is away is waited for.
            """)
    static let exitStatuses = ExitStatus.transfers + [.unknownID, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "Numbers of jobs.", transform: JobArgument.parse)
    var ids: [JobID] = []

    @Option(help: ArgumentHelp("The jobs of this batch.", valueName: "token"))
    var batch: String?

    @Flag(help: "Print the ended jobs as JSON lines.")
    var json = false

    func validate() throws {
        guard ids.isEmpty || batch == nil else {
            throw ValidationError("Give numbers of jobs or --batch, but not both.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await fleet.withQueue(in: context) { queue in
            var waiting = JobWait(queue: queue, context: context, json: json)
            if let batch {
                try await waiting.wait(for: batch)
            } else if ids.isEmpty {
                try await waiting.waitForAll()
            } else {
                try await waiting.wait(for: ids)
            }
            return waiting.status
        }
    }
}

/// Waits for jobs, and keeps the exit status of the first failed one.
private struct JobWait {
    let queue: any SharedQueue
    let context: CommandContext
    let json: Bool
    private(set) var status: Int32 = 0
    private var patience: QueuePatience

    init(queue: any SharedQueue, context: CommandContext, json: Bool) {
        self.queue = queue
        self.context = context
        self.json = json
        patience = QueuePatience(context.console)
    }

    mutating func wait(for ids: [JobID]) async throws {
        for (place, id) in ids.enumerated() {
            // The first call tells a mistake in the address. A database that goes away later is waited for.
            var job =
                place == 0
                ? try await queue.job(id)
                : try await patience.call { [queue] () throws(ServiceError) in try await queue.job(id) }
            while !job.state.isEnded {
                try await Task.sleep(for: .milliseconds(500))
                job = try await patience.call { [queue] () throws(ServiceError) in try await queue.job(id) }
            }
            try note(job)
        }
    }

    /// Waits until the queue has no unfinished job. The ends since now decide the status.
    mutating func waitForAll() async throws {
        var cursor = try await queue.ends(after: nil, limit: 1).next
        var query = JobQuery()
        query.states = [.waiting, .running, .suspended]
        query.limit = 1
        var isDone = false
        while !isDone {
            let (place, unfinished) = (cursor, query)
            isDone = try await patience.call { [queue] () throws(ServiceError) in
                try await queue.jobs(unfinished).isEmpty
            }
            let page = try await patience.call { [queue] () throws(ServiceError) in
                try await queue.ends(after: place, limit: 1000)
            }
            // After a fail-over a cursor of the former server shows ends of last week too.
            guard cursor.split(separator: ".").first == page.next.split(separator: ".").first else {
                cursor = try await patience.call { [queue] () throws(ServiceError) in
                    try await queue.ends(after: nil, limit: 1).next
                }
                continue
            }
            cursor = page.next
            for end in page.ends { try note(end.job) }
            if !page.ends.isEmpty { isDone = false } else if !isDone { try await Task.sleep(for: .seconds(1)) }
        }
    }

    mutating func wait(for batch: String) async throws {
        var query = JobQuery()
        query.batch = batch
        query.limit = 1
        guard try await !queue.jobs(query).isEmpty else {
            throw ServiceError(.unknownTransfer, "The fleet has no job of the batch “\(batch.escapingControls)”.")
        }
        query.states = [.waiting, .running, .suspended]
        while true {
            let unfinished = query
            let isDone = try await patience.call { [queue] () throws(ServiceError) in
                try await queue.jobs(unfinished).isEmpty
            }
            if isDone { break }
            try await Task.sleep(for: .seconds(1))
        }
        query.states = []
        query.limit = 1000
        while true {
            let all = query
            let page = try await patience.call { [queue] () throws(ServiceError) in try await queue.jobs(all) }
            for job in page { try note(job) }
            guard page.count == query.limit else { break }
            query.after = page.last?.id
        }
    }

    private mutating func note(_ job: Job) throws {
        if json { context.console.print(try JSONText.line(job)) }
        guard let failure = job.error?.code ?? (job.state == .canceled ? .canceled : nil) else { return }
        if status == 0 { status = failure.row.exitStatus }
        guard !json else { return }
        context.console.say(
            "ferry fleet: job \(job.id) \(job.state.word)"
                + (job.error.map { ": \($0.message.escapingControls)" } ?? ""))
    }
}

/// Repeats calls while the queue is away, and says so once.
private struct QueuePatience {
    private let console: any Console
    private var isAway = false

    init(_ console: any Console) { self.console = console }

    mutating func call<Result: Sendable>(
        _ body: @Sendable () async throws(ServiceError) -> Result
    ) async throws -> Result {
        while true {
            do throws(ServiceError) {
                let result = try await body()
                isAway = false
                return result
            } catch {
                guard error.code == .queueUnreachable else { throw error }
                if !isAway { console.say("ferry fleet: \(error.message.escapingControls) Waiting for it.") }
                isAway = true
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
