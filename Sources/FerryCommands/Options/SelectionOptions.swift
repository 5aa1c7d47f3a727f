import ArgumentParser
import FerryCore

/// The transfers that an action is for: some by id, or all.
struct SelectionOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Transfers, by id.", valueName: "id"))
    var ids: [String] = []

    @Flag(help: "Act on all transfers.")
    var all = false

    @Option(help: ArgumentHelp("With --all: only the transfers of one session.", valueName: "name"))
    var session: String?

    func validate() throws {
        guard all || !ids.isEmpty else { throw ValidationError("Name the transfers by their ids, or give --all.") }
        guard !all || ids.isEmpty else { throw ValidationError("Give ids or --all, not both.") }
        guard session == nil || all else { throw ValidationError("--session goes with --all.") }
    }

    func selection() throws(TransferError) -> TransferSelection {
        if all {
            return TransferSelection(session: try session.map { name throws(TransferError) in try SessionID(name) })
        }
        return TransferSelection(ids: try ids.transferIDs())
    }
}

extension SelectionOptions {
    /// Acts on the selected transfers and says what came of it.
    ///
    /// - Returns: The exit status: that of the first transfer on which it failed.
    func act(_ action: TransferAction, json: Bool, in context: CommandContext) async throws -> Int32 {
        let results = try await context.service().act(action, on: selection())
        if json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results { context.console.say(result.line(after: action)) }
            if results.isEmpty { context.console.say("There are no transfers to act on.") }
        }
        return results.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }

}

extension ActionResult {
    /// What came of it, in words.
    var line: String {
        if let error { return "ferry: \(id): \(error.message.escapingControls) (\(error.word.escapingControls))" }
        return "\(id): \(state?.rawValue ?? "removed")"
    }

    /// What came of an action, in words; an end that waits for its disk is no state of its own.
    func line(after action: TransferAction) -> String {
        guard error == nil, let state else { return line }
        switch action {
        case .remove, .removeWithFile: return "\(id): is removed once its disk answers"
        case .cancel where state == .suspended: return "\(id): is canceled once its disk answers"
        case .pause, .resume, .cancel, .retry: return line
        }
    }
}
