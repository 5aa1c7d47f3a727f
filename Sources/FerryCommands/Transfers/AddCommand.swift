// Ferry: FerryCommands
// ferry add

import ArgumentParser
import FerryCore

/// Hands over and returns.
struct AddCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Hand files over to the daemon and return.",
        discussion: "Prints the id of each transfer, one a line. It is durable by then.")
    static let exitStatuses: [ExitStatus] = [
        ExitStatus(status: "0", meaning: "every request was accepted"), .own,
        ExitStatus(status: "10", meaning: "the folder cannot be written, or the name is taken"),
        .daemon, .usage,
    ]

    @OptionGroup var request: RequestOptions

    @Flag(help: "Add them paused.")
    var paused = false

    @Flag(name: .shortAndLong, help: "Print no ids.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        var requests = try request.requests(in: context)
        for index in requests.indices { requests[index].paused = paused }
        var submissions: [Submission] = []
        try await Submission.submit(requests, to: context.service()) { batch in
            submissions += batch
            context.sayRefusals(batch)
            if !json, !quiet { context.console.print(batch.compactMap { $0.id?.description }) }
        }
        if json { context.console.print(try JSONText.array(submissions)) }
        return submissions.handoverStatus
    }
}

extension [Submission] {
    /// Exit status for having handed them over, whatever becomes of the transfers.
    fileprivate var handoverStatus: Int32 {
        for case .refused(_, _, let error) in self { return error.code.row.exitStatus }
        return 0
    }
}
