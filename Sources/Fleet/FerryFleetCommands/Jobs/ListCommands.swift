import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation

/// Lists jobs.
struct ListCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List jobs, in order of submission.",
        discussion: "Without options it shows unfinished jobs. With --code it shows failed ones.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Show all jobs.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "Only jobs in this state: waiting, running, paused, succeeded, failed, canceled; can be given several times.",
            valueName: "state"),
        transform: StateArgument.parse)
    var state: [TransferState] = []

    @OptionGroup var filter: FilterOptions

    @Option(help: ArgumentHelp("At most this many.", valueName: "number"))
    var limit = 100

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit is at least 1, not \(limit).") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        var query = filter.query
        query.states = all || filter.code != nil ? [] : state.isEmpty ? [.waiting, .running, .suspended] : state
        let jobs = try await fleet.withQueue(in: context) { queue in
            var jobs: [Job] = []
            while jobs.count < limit {
                query.limit = min(1000, limit - jobs.count)
                let page = try await queue.jobs(query)
                jobs += page
                query.after = page.last?.id
                if page.count < query.limit { break }
            }
            return jobs
        }
        if json {
            context.console.print(try JSONText.array(jobs))
        } else if jobs.isEmpty {
            context.console.say("No such jobs.")
        } else {
            context.console.print(JobRendering.table(jobs, withTitles: context.console.isTerminal(.output)))
        }
        return 0
    }
}

/// Shows one job.
struct InfoCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(commandName: "info", abstract: "Show the details of a job.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .unknownID, .usage]

    @OptionGroup var fleet: FleetOptions

    @Argument(help: "The job's number.", transform: JobArgument.parse)
    var id: JobID

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let job = try await fleet.withQueue(in: context) { try await $0.job(id) }
        context.console.print(json ? [try JSONText.line(job)] : JobRendering.page(job))
        return 0
    }
}

/// Shows the fleet.
struct StatusCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show workers, waiting and running jobs, and servers that are full or held.")
    static let exitStatuses: [ExitStatus] = [.success, .daemon, .usage]

    @OptionGroup var fleet: FleetOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let status = try await fleet.withQueue(in: context) { try await $0.status() }
        context.console.print(json ? [try JSONText.line(status)] : JobRendering.page(status, now: context.now()))
        return 0
    }
}

/// Options that select jobs by what they are.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only jobs that failed with this code, such as not_found.", valueName: "code"),
        transform: CodeArgument.parse)
    var code: ErrorCode?

    @Option(help: ArgumentHelp("Only jobs of this host.", valueName: "host"))
    var host: String?

    @Option(help: ArgumentHelp("Only jobs of this batch.", valueName: "token"))
    var batch: String?

    var query: JobQuery {
        var query = JobQuery()
        query.code = code
        query.host = host?.lowercased()
        query.batch = batch
        return query
    }

    var isEmpty: Bool { code == nil && host == nil && batch == nil }
}

enum CodeArgument {
    @Sendable static func parse(_ text: String) throws -> ErrorCode {
        guard let code = ErrorCode.allCases.first(where: { $0.rawValue == text }) else {
            throw ValidationError(
                "“\(text.escapingControls)” is not an error's code, such as not_found. See docs/errors.md.")
        }
        return code
    }
}

enum JobArgument {
    @Sendable static func parse(_ text: String) throws -> JobID {
        guard let id = JobID(text) else {
            throw ValidationError("“\(text.escapingControls)” is not the number of a job.")
        }
        return id
    }
}

enum StateArgument {
    @Sendable static func parse(_ text: String) throws -> TransferState {
        guard let state = TransferState.known.first(where: { $0.word == text }) else {
            let words = TransferState.known.map(\.word).joined(separator: ", ")
            throw ValidationError("“\(text.escapingControls)” is not one of \(words).")
        }
        return state
    }
}

/// Renders jobs and the fleet for people. Texts of jobs are hostile.
enum JobRendering {
    static func table(_ jobs: [Job], withTitles: Bool) -> [String] {
        let titles = ["ID", "STATE", "WORKER", "DONE", "FILE"]
        let table = Table(columns: titles.map { Table.Column(title: $0, isNumber: $0 == "ID" || $0 == "DONE") })
        return table.lines(
            jobs.map { job in
                [
                    job.id.description, state(job), job.claims.worker?.escapingControls ?? "-", done(job),
                    (job.result?.path ?? job.destination).escapingControls,
                ]
            }, withTitles: withTitles)
    }

    private static func state(_ job: Job) -> String {
        job.reason.map { "\(job.state.word) (\($0.rawValue))" } ?? job.state.word
    }

    private static func done(_ job: Job) -> String {
        if job.state == .succeeded { return "100%" }
        guard let received = job.bytes.received, let expected = job.bytes.expected, expected > 0 else { return "-" }
        return "\(min(100, received * 100 / expected))%"
    }

    static func page(_ job: Job) -> [String] {
        var rows: [(String, String)] = [
            ("Job", "\(job.id)  \(job.token)"), ("State", state(job)), ("URL", job.url),
            ("Destination", job.result?.path ?? job.destination),
        ]
        if let worker = job.claims.worker { rows.append(("Worker", worker)) }
        rows.append(
            ("Tries", "\(job.claims.tries)" + (job.claims.rescues > 0 ? ", \(job.claims.rescues) workers lost" : "")))
        if job.claims.fence > 0 { rows.append(("Fence", "\(job.claims.fence)")) }
        if let needs = job.labels.needs { rows.append(("Needs", needs)) }
        if let key = job.labels.key { rows.append(("Key", key)) }
        if let batch = job.labels.batch { rows.append(("Batch", batch)) }
        if let ready = job.times.ready { rows.append(("Not before", time(ready))) }
        rows.append(("Added", time(job.times.created)))
        if let finished = job.times.finished { rows.append(("Finished", time(finished))) }
        if let result = job.result {
            rows.append(("Size", "\(result.size) bytes" + (result.isUnchanged ? ", the existing file was kept" : "")))
            if let digest = result.sha256 { rows.append(("SHA-256", digest)) }
        }
        if let error = job.error { rows.append(("Error", "\(error.message) (\(error.word))")) }
        for done in job.history ?? [] {
            let error = done.error.map { ": \($0.message)" } ?? ""
            rows.append(("Try \(done.fence)", "\(done.reason) by \(done.worker), \(time(done.endedAt))\(error)"))
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { title, value in
            title + String(repeating: " ", count: width - title.count + 2) + value.escapingControls
        }
    }

    static func page(_ status: FleetStatus, now: Date) -> [String] {
        let workers = Table(
            columns: [
                Table.Column(title: "WORKER"), Table.Column(title: "STATE"),
                Table.Column(title: "RUNNING", isNumber: true), Table.Column(title: "HELD", isNumber: true),
                Table.Column(title: "LAST BEAT"), Table.Column(title: "VERSION"),
            ])
        var lines =
            status.workers.isEmpty
            ? ["No worker has joined in the last day. Start one with `ferry fleet run`."]
            : workers.lines(
                status.workers.map { worker in
                    [
                        worker.name.escapingControls, worker.state.rawValue, "\(worker.running)/\(worker.slots)",
                        "\(worker.held)",
                        TimeText.words(now.timeIntervalSince(worker.lastBeat)) + " ago",
                        worker.version.escapingControls,
                    ]
                })
        for worker in status.workers {
            guard let condition = worker.condition else { continue }
            lines.append("! \(worker.name.escapingControls) claims no jobs: \(condition.escapingControls)")
        }
        lines.append("")
        let (waiting, running) = status.tenants.reduce((0, 0)) { ($0.0 + $1.waiting, $0.1 + $1.running) }
        lines.append("\(waiting) jobs are waiting and \(running) are running.")
        if status.tenants.count(where: { $0.waiting > 0 || $0.running > 0 }) > 1 {
            for tenant in status.tenants where tenant.waiting > 0 || tenant.running > 0 {
                lines.append(
                    "\(tenant.name.escapingControls): \(tenant.waiting) waiting, \(tenant.running) running.")
            }
        }
        if let oldest = status.oldestWaiting {
            let reason = oldest.reason.map { " (\($0.rawValue))" } ?? ""
            lines.append(
                "The oldest waiting job is \(oldest.id), added \(TimeText.words(now.timeIntervalSince(oldest.createdAt))) ago\(reason)."
            )
        }
        for origin in status.origins {
            let limit = origin.atOnce.map { " of \($0)" } ?? ""
            let held = origin.heldUntil.map { ", held for \(TimeText.words($0.timeIntervalSince(now)))" } ?? ""
            lines.append("\(origin.origin.escapingControls): \(origin.running)\(limit) running\(held).")
        }
        lines.append(
            "\(status.endsInLastMinute) jobs ended in the last minute. \(status.rescues) were taken from lost workers.")
        return lines
    }

    private static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: false))
    }
}
