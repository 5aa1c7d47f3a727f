import ArgumentParser
import FerryCore

/// Submits and returns.
struct AddCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "add",
        abstract: "Submit downloads to the daemon and return.",
        discussion: "Prints the id of each transfer, one per line, once it is durable.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "every request was accepted"), .own,
        ExitStatus(.destination, meaning: "the folder cannot be written, or the name is taken"),
        .daemon, .usage,
    ]

    @OptionGroup var request: RequestOptions

    @Flag(help: "Add them paused.")
    var paused = false

    @Flag(name: .shortAndLong, help: "Print no ids.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON.")
    var json = false

    func validate() throws {
        if request.isForOutput {
            throw ValidationError("add returns at once; get -o - writes to standard output, -o ./- names a file.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        var (template, list) = try request.template(in: context)
        template.timing.paused = paused
        // A list is reported by ids alone.
        if !json, ListSubmission.takes(template, list, of: request) {
            return try await handOver(ListSubmission(template, list), in: context)
        }
        let requests = try RequestList(template, list, request, in: context)
        var submissions = requests.refusals(in: template.session)
        context.sayRefusals(submissions)
        // Without a wait no server is asked.
        let halves = HalfFiles(context: context, options: request.file, fetch: nil, isQuiet: quiet)
        guard case .requests(let wanted, let unrelated) = try await halves.applied(to: requests) else { return 0 }
        submissions += unrelated
        context.sayRefusals(unrelated)
        try await Submission.submit(wanted, to: context.service()) { batch, _ in
            submissions += batch
            context.sayRefusals(batch)
            if !json, !quiet { context.console.print(batch.compactMap { $0.id?.description }) }
        }
        if json { context.console.print(try JSONText.array(submissions)) }
        return submissions.handoverStatus
    }

    private func handOver(_ list: ListSubmission, in context: CommandContext) async throws -> Int32 {
        var status: Int32 = 0
        try await list.submit(to: context.service()) { handover in
            for (url, error) in handover.refused { context.sayRefusal(of: url, error) }
            if !quiet, !handover.ids.isEmpty { context.console.print(handover.ids.map(\.description)) }
            if status == 0, let first = handover.refused.first { status = first.error.code.row.exitStatus }
        }
        return status
    }
}

extension [Submission] {
    /// Exit status of a submission, whatever the transfers' outcomes.
    var handoverStatus: Int32 {
        for case .refused(_, _, let error) in self { return error.code.row.exitStatus }
        return 0
    }
}
