import ArgumentParser
import FerryCommands
import FerryCore
import FerryFleet
import FerryFoundation

/// Adds jobs and returns.
struct AddCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add jobs to the fleet's queue and return.",
        discussion: """
            Prints the number of each job, one per line, once it is durable. --to and --name may contain {name}, the last part of \
            the URL's path, {host}, {path}, the other parts, and {n}, the number of the URL in this command.
            """)
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "every job was accepted"),
        ExitStatus(.destination, meaning: "another job has the destination"), .daemon, .usage,
    ]

    @OptionGroup var fleet: FleetOptions

    @OptionGroup var request: RequestOptions

    @Option(
        help: ArgumentHelp(
            "Shared folder for the files: an absolute path in a store of the fleet.", valueName: "folder"),
        completion: .directory)
    var to: String

    @Option(help: ArgumentHelp("Name of the file.", valueName: "template"))
    var name = "{name}"

    @Option(
        name: .customLong("job-key"),
        help: ArgumentHelp("Identifier of the job. Adding it again adds nothing.", valueName: "token"))
    var key: String?

    @Option(
        name: [.customLong("batch"), .customLong("job-key-prefix")],
        help: ArgumentHelp(
            "Name of these jobs, for list and wait. Adding the same list again adds what is missing.",
            valueName: "token"))
    var batch: String?

    @Option(help: ArgumentHelp("Only workers with this label.", valueName: "label"))
    var needs = ""

    @Flag(help: "Add them paused.")
    var paused = false

    @Flag(name: .shortAndLong, help: "Print no numbers.")
    var quiet = false

    func validate() throws {
        guard request.folder == nil, request.output == nil else {
            throw ValidationError(
                "A fleet's files have a folder on all machines: use --to and --name instead of -d and -o.")
        }
        guard to.hasPrefix("/") else {
            throw ValidationError(
                "“\(to.escapingControls)” is a relative folder. --to is the absolute path of a folder that all machines share."
            )
        }
        guard key == nil || request.urls.count == 1 else {
            throw ValidationError("--job-key identifies one job; give one URL.")
        }
        guard key == nil || batch == nil else {
            throw ValidationError("--batch gives each job a key; remove --job-key.")
        }
        guard batch.map({ !$0.isEmpty && $0.utf8.count <= Self.longestBatch }) ?? true else {
            throw ValidationError("--batch is 1 to \(Self.longestBatch) bytes.")
        }
    }

    /// Maximum length of a batch's name in bytes. The keys of its jobs are longer.
    private static let longestBatch = 200

    /// Maximum number of jobs in one call.
    private static let mostInCall = 5000

    func run(in context: CommandContext) async throws -> Int32 {
        // Proxies and certificates of this machine's environment are not those of the workers.
        var plain = context
        plain.environment = context.environment.filter { $0.key == "HOME" }
        // The queue stores no secrets.
        plain.usesNetrc = false
        let (template, list) = try request.template(in: plain)
        let all = try RequestList(template, list, request, in: plain)
        var jobs = try all.requests.enumerated().map { place, request in try job(request, number: place + 1) }
        if let batch { jobs = BatchKeys.keyed(jobs, batch: batch) }
        return try await fleet.withQueue(in: context) { queue in
            var status: Int32 = 0
            for (url, error) in all.refused {
                context.console.say(
                    "ferry fleet: \(url.escapingControls): \(error.message.escapingControls) (\(error.word))")
                status = error.code.row.exitStatus
            }
            var rest = jobs[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(Self.mostInCall))
                let results: [JobSubmission]
                do {
                    results = try await queue.submit(part)
                } catch {
                    let known = jobs.count - rest.count
                    if jobs.count > 1 {
                        let remedy =
                            batch == nil && key == nil
                            ? "With --batch the same command can be given again." : "Give the same command again."
                        context.console.say("ferry fleet: \(known) of \(jobs.count) jobs were added. \(remedy)")
                    }
                    throw error
                }
                rest = rest.dropFirst(part.count)
                if !quiet { context.console.print(results.compactMap { $0.id?.description }) }
                for (job, result) in zip(part, results) {
                    guard let error = result.error else { continue }
                    context.console.say(
                        "ferry fleet: \(job.shownURL): \(error.message.escapingControls) (\(error.word))")
                    if status == 0 { status = error.code.row.exitStatus }
                }
            }
            return status
        }
    }

    private func job(_ request: TransferRequest, number: Int) throws -> JobRequest {
        var request = request
        let url = try HTTPURL(parsing: request.url)
        let values = DestinationTemplate(url: url, number: number)
        request.file.folder = values.filled(to)
        request.file.name = FileName.safe(values.filled(name))
        request.timing.paused = paused
        if request.transport.proxyEnvironment?.isEmpty == true { request.transport.proxyEnvironment = nil }
        if request.tls.trust == RequestTrust() { request.tls.trust = nil }
        return JobRequest(transfer: request, key: key, needs: needs)
    }
}

extension JobRequest {
    /// The URL for messages.
    fileprivate var shownURL: String {
        ((try? HTTPURL(parsing: transfer.url))?.redacted ?? transfer.url).escapingControls
    }
}

/// The values of the placeholders in `--to` and `--name`.
struct DestinationTemplate {
    private let values: [(placeholder: String, value: String)]

    init(url: HTTPURL, number: Int) {
        let parts = url.path.split(separator: "/").map { FileName.safe(PercentEncoding.decodeLeniently(String($0))) }
        let name = url.path.hasSuffix("/") || parts.isEmpty ? FileName.fallback : parts[parts.count - 1]
        let folders = url.path.hasSuffix("/") ? parts[...] : parts.dropLast()
        values = [
            ("{name}", name), ("{host}", FileName.safe(url.host)), ("{path}", folders.joined(separator: "/")),
            ("{n}", String(number)),
        ]
    }

    /// Replaces placeholders. Values are not searched for placeholders.
    func filled(_ template: String) -> String {
        var text = ""
        var rest = template[...]
        while let first = rest.first {
            if let found = values.first(where: { rest.hasPrefix($0.placeholder) }) {
                text += found.value
                rest = rest.dropFirst(found.placeholder.count)
            } else {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
        return text
    }
}
