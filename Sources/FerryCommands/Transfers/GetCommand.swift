// Ferry: FerryCommands
// ferry get

import ArgumentParser
import FerryClient
import FerryCore

/// Hands over and waits for the files.
struct GetCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetch files and wait for them.",
        discussion: """
            The daemon does the work, so that the transfers survive this command. Ctrl-C pauses them and says how to go \
            on; a second Ctrl-C leaves at once. SIGTERM and SIGHUP leave the transfers running.
            """)
    static let exitStatuses =
        ExitStatus.transfers + [
            .usage, ExitStatus(status: "130", meaning: "interrupted; the transfers are paused"),
            ExitStatus(status: "143", meaning: "ended by SIGTERM (SIGHUP: 129); the transfers go on"),
        ]

    /// Failures in a row without progress after which somebody who waits would rather be told.
    static let retries = 5

    @OptionGroup var request: RequestOptions

    @Flag(name: .shortAndLong, help: "Say nothing but errors.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have ended.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        var requests = try request.requests(in: context)
        let tries = request.retries ?? Self.retries
        for index in requests.indices { requests[index].retries = tries }
        let signals = context.console.stopSignals()
        let service = try context.service()

        let results = TransferResults()
        var submissions: [Submission] = []
        var position: Int64?
        try await Submission.submit(requests, to: service) { batch, after in
            if submissions.isEmpty { position = after }
            submissions += batch
            for case .accepted(let transfer) in batch { await results.take(transfer) }
            context.sayRefusals(batch)
        }

        let ids = submissions.compactMap(\.id)
        let display = ProgressDisplay(context, total: ids.count, retries: tries, isQuiet: quiet)
        let wait = TransferWait(context: context, service: service, display: display, signals: signals)
        let end = try await wait.run(ids, after: position) { await results.take($0) }
        let transfers = await results.transfers
        if case .stopped(let signal) = end {
            return try await leave(ids.filter { transfers[$0]?.state.isEnded != true }, signal, service, context)
        }
        let final = submissions.map { $0.updated(by: transfers) }
        if json { context.console.print(try JSONText.array(final)) }
        return final.exitStatus
    }

    private func leave(
        _ open: [TransferID], _ signal: StopSignal, _ service: any TransferService, _ context: CommandContext
    ) async throws -> Int32 {
        guard signal == .interrupt else { return signal.exitStatus }
        _ = try await service.act(.pause, on: TransferSelection(ids: open))
        if !open.isEmpty {
            context.console.say("paused; go on with: " + ResumeHint.command(open, session: request.session))
        }
        return signal.exitStatus
    }
}
