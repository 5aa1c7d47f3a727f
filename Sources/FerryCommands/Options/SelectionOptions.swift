import ArgumentParser
import FerryCore

/// The transfers that an action is for: some by id, some by what they have in common, or all.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Transfers: ids, beginnings of ids, or last for the newest.", valueName: "id"),
        completion: .ofFerry)
    var ids: [String] = []

    @Flag(help: "Act on all transfers.")
    var all = false

    @OptionGroup var filter: FilterOptions

    func validate() throws {
        guard all || !ids.isEmpty || !filter.isEmpty else {
            throw ValidationError(
                "Name the transfers by their ids, or by --state, --session, --tag or --url; --all is all of them.")
        }
        guard ids.isEmpty || !all && filter.isEmpty else {
            throw ValidationError("Give ids, or options that choose transfers such as --all, not both.")
        }
    }

    func selection(in service: any TransferService) async throws(ServiceError) -> TransferSelection {
        if !ids.isEmpty { return TransferSelection(ids: try await TransferWords(words: ids).ids(in: service)) }
        if filter.state.isEmpty, filter.tag == nil, filter.url == nil {
            // The daemon goes through them page by page.
            return TransferSelection(session: try await filter.query(in: service).session)
        }
        return TransferSelection(ids: try await filter.transfers(in: service).map(\.id))
    }
}

extension SelectionOptions {
    /// Acts on the selected transfers and says what came of it.
    ///
    /// - Parameter question: what is asked on a terminal before very many transfers are destroyed; nil asks nothing.
    /// - Returns: The exit status: that of the first transfer on which it failed.
    func act(
        _ action: TransferAction, asks question: DestructionQuestion? = nil, json: Bool, in context: CommandContext
    ) async throws -> Int32 {
        let service = try context.service()
        let selection = try await selection(in: service)
        if let question, ids.isEmpty {
            guard try await question.isAgreed(selection, service, context) else { return 0 }
        }
        let results = try await service.act(action, onMany: selection)
        if json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results { context.console.say(result.line(after: action)) }
            if results.isEmpty { context.console.say("There are no transfers to act on.") }
        }
        return results.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }
}

extension TransferService {
    /// Acts on any number of transfers: a call names as many as fit into its body.
    func act(
        _ action: TransferAction, onMany selection: TransferSelection
    ) async throws(ServiceError) -> [ActionResult] {
        guard let ids = selection.ids else { return try await act(action, on: selection) }
        var results: [ActionResult] = []
        var rest = ids[...]
        repeat {
            let some = Array(rest.prefix(mostIDs))
            rest = rest.dropFirst(mostIDs)
            results += try await act(action, on: TransferSelection(ids: some, session: selection.session))
        } while !rest.isEmpty
        return results
    }

    private var mostIDs: Int { 50_000 }
}

/// Asks a user before a command that was not given ids destroys very many transfers.
struct DestructionQuestion {
    /// What becomes of the transfers, as in `cancels`.
    let verb: String
    /// Whether the user has agreed on the command line.
    let isAnswered: Bool

    static let mostUnasked = 10

    /// Whether the command may go on; without a terminal it does: a script means what it says.
    func isAgreed(
        _ selection: TransferSelection, _ service: any TransferService, _ context: CommandContext
    ) async throws -> Bool {
        guard !isAnswered, context.console.isTerminal(.talk) else { return true }
        let count = try await count(selection, service)
        guard count > Self.mostUnasked else { return true }
        guard let answer = context.console.ask("This \(verb) \(count) transfers. Go on? [y/N] ", isSecret: false) else {
            return true
        }
        if ["y", "yes"].contains(answer.lowercased()) { return true }
        context.console.say("Nothing was done.")
        return false
    }

    private func count(_ selection: TransferSelection, _ service: any TransferService) async throws -> Int {
        if let ids = selection.ids { return ids.count }
        let sessions = try await service.sessions().filter { selection.session == nil || $0.id == selection.session }
        return sessions.reduce(0) { $0 + $1.transfers.values.reduce(0, +) }
    }
}

extension ActionResult {
    /// What came of it, in words.
    var line: String {
        if let error { return "ferry: \(id): \(error.message.escapingControls) (\(error.word.escapingControls))" }
        return "\(id): \(state?.word ?? "removed")"
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
