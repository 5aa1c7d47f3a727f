import ArgumentParser
import FerryCore

/// Waits until transfers have finished.
struct WaitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "wait", abstract: "Wait until transfers have finished.",
        discussion: "Ctrl-C ends the waiting; the transfers continue.")
    static let exitStatuses = ExitStatus.waiting

    @OptionGroup var transfers: SelectionOptions

    @OptionGroup var output: WaitOutput

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        if !transfers.ids.isEmpty {
            return try await output.wait(for: TransferWords(words: transfers.ids).ids(in: service), in: context)
        }
        // Transfers that had already finished are not waited for.
        let open = try await transfers.filter.transfers(in: service).filter { !$0.state.isEnded }
        return try await output.wait(for: open.map(\.id), in: context)
    }
}

extension ExitStatus {
    static let waiting =
        ExitStatus.transfers + [
            .unknownID, .usage, ExitStatus(.interrupt, meaning: "interrupted; the transfers continue"),
        ]
}

/// Output options of a waiting command.
struct WaitOutput: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    @Flag(help: "Print the transfers as JSON once they have finished.")
    var json = false

    func wait(for ids: [TransferID], in context: CommandContext) async throws -> Int32 {
        try await Waiting(ids: ids, isQuiet: quiet, printsJSON: json).run(in: context)
    }
}

/// A command's wait for transfers.
struct Waiting {
    let ids: [TransferID]
    let isQuiet: Bool
    let printsJSON: Bool

    /// Waits until the transfers have finished, and shows their progress.
    ///
    /// - Returns: The exit status: that of the first failure.
    func run(in context: CommandContext) async throws -> Int32 {
        let results = TransferResults()
        if ids.isEmpty {
            if !printsJSON { context.console.say("No transfers to wait for.") }
        } else {
            let wait = TransferWait(
                context: context, service: try context.service(),
                display: ProgressDisplay(context, total: ids.count, isQuiet: isQuiet),
                signals: context.console.stopSignals())
            if case .stopped(let signal) = try await wait.run(ids, onUpdate: { await results.take($0) }) {
                return signal.exitStatus
            }
        }
        let known = await results.transfers
        let transfers = ids.compactMap { known[$0] }
        if printsJSON { context.console.print(try JSONText.array(transfers)) }
        return transfers.lazy.map(\.exitStatus).first { $0 != 0 } ?? 0
    }
}
