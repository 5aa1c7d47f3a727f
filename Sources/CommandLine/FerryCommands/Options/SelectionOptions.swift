import ArgumentParser
import FerryCore

/// The transfers of an action: by id, by filter, or all.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Transfers: ids, prefixes of ids, or last for the newest.", valueName: "id"),
        completion: .ofFerry)
    var ids: [String] = []

    @Flag(help: "Act on all transfers.")
    var all = false

    @OptionGroup var filter: FilterOptions

    func validate() throws {
        guard all || !ids.isEmpty || !filter.isEmpty else {
            throw ValidationError(
                "Select transfers by ids, or by --state, --session, --tag or --url; --all selects all of them.")
        }
        guard ids.isEmpty || !all && filter.isEmpty else {
            throw ValidationError("Give ids, or options that select transfers such as --all, not both.")
        }
    }

    func selection(in service: any TransferService) async throws(ServiceError) -> TransferSelection {
        if !ids.isEmpty { return TransferSelection(ids: try await TransferWords(words: ids).ids(in: service)) }
        if filter.state.isEmpty, filter.tag == nil, filter.url == nil {
            // The daemon pages through them itself.
            return TransferSelection(session: try await filter.query(in: service).session)
        }
        return TransferSelection(ids: try await filter.transfers(in: service).map(\.id))
    }
}

extension SelectionOptions {
    /// Performs an action on the selected transfers and prints the results.
    ///
    /// - Parameter question: Asked on a terminal before very many transfers are destroyed. Nil for no question.
    /// - Returns: The exit status: that of the first failure.
    func act(
        _ action: TransferAction, asks question: DestructionQuestion? = nil, output: ResultOutput,
        in context: CommandContext
    ) async throws -> Int32 {
        let service = try context.service()
        let selection = try await selection(in: service)
        if let question, ids.isEmpty {
            guard try await question.isAgreed(selection, service, context) else { return 0 }
        }
        let results = try await service.act(action, onMany: selection)
        if output.json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results where !output.quiet || result.error != nil {
                context.console.say(result.line(after: action))
            }
            if results.isEmpty, !output.quiet { context.console.say("No transfers to act on.") }
        }
        return results.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }
}

extension TransferService {
    /// Performs an action on any number of transfers. Each call names as many as fit into a request.
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

/// Asks for confirmation before a command without ids destroys very many transfers.
struct DestructionQuestion {
    /// The verb for the transfers, as in `cancels`.
    let verb: String
    /// Whether finished transfers are left alone.
    let onlyOpen: Bool
    /// Whether the user has confirmed on the command line.
    let isAnswered: Bool

    static let mostUnasked = 10

    /// Whether the command may continue. Without a terminal it may, as in a script.
    func isAgreed(
        _ selection: TransferSelection, _ service: any TransferService, _ context: CommandContext
    ) async throws -> Bool {
        guard !isAnswered, context.console.isTerminal(.talk) else { return true }
        let count = try await count(selection, service)
        guard count > Self.mostUnasked else { return true }
        guard let answer = context.console.ask("This \(verb) \(count) transfers. Continue? [y/N] ", isSecret: false)
        else {
            return true
        }
        if ["y", "yes"].contains(answer.lowercased()) { return true }
        context.console.say("Nothing was done.")
        return false
    }

    private func count(_ selection: TransferSelection, _ service: any TransferService) async throws -> Int {
        if let ids = selection.ids { return ids.count }
        let sessions = try await service.sessions().filter { selection.session == nil || $0.id == selection.session }
        return sessions.reduce(0) { sum, session in
            session.transfers.reduce(sum) { sum, counted in
                let state = TransferState(rawValue: counted.key)
                return onlyOpen && state?.isEnded == true ? sum : sum + counted.value
            }
        }
    }
}

extension ActionResult {
    /// The result as text.
    var line: String {
        if let error { return "ferry: \(id): \(error.message.escapingControls) (\(error.word.escapingControls))" }
        return "\(id): \(state?.word ?? "removed")"
    }

    /// The result of an action as text. A removal that waits for its disk has no state of its own.
    func line(after action: TransferAction) -> String {
        guard error == nil, let state else { return line }
        switch action {
        case .remove, .removeWithFile: return "\(id): is removed as soon as its disk responds"
        case .cancel where state == .suspended: return "\(id): is canceled as soon as its disk responds"
        case .pause, .resume, .cancel, .retry: return line
        }
    }
}
