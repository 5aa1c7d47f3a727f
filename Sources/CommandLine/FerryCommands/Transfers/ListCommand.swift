import ArgumentParser
import FerryCore
import FerryFoundation

/// Lists transfers.
struct ListCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "list", abstract: "List transfers, in order of submission.",
        discussion: """
            Without options it shows unfinished transfers, and the ones finished in the last day. With --all or an option that \
            selects transfers it shows these, whenever they finished.
            """)
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Flag(help: "Show all transfers.")
    var all = false

    @Flag(help: "Show only finished transfers.")
    var finished = false

    @OptionGroup var filter: FilterOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("Only this many, newest first.", valueName: "number"))
    var limit: Int?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1, not \(limit).") }
        if finished, !filter.state.isEmpty { throw ValidationError("Give --finished or --state, not both.") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        let isRecent = !all && !finished && filter.isEmpty && limit == nil
        let transfers = try await isRecent ? recent(service, now: context.now()) : chosen(service)
        if transfers.isEmpty {
            // After a damaged journal was set aside the list is empty: the warning says why.
            for warning in try await service.status().warnings { context.remark("Warning: " + warning) }
        }
        if json {
            context.console.print(try JSONText.array(transfers))
        } else if transfers.isEmpty {
            context.console.say(
                isRecent
                    ? "No transfers are unfinished or were finished in the last day; see ferry list --all."
                    : "No such transfers.")
        } else {
            let isTerminal = context.console.isTerminal(.output)
            let table = TransferTable(now: context.now(), width: isTerminal ? context.console.size.columns : nil)
            if isTerminal, isRecent || all { context.console.print(ListSummary.line(transfers)) }
            context.console.print(table.lines(transfers, withTitles: isTerminal))
        }
        return 0
    }

    private func chosen(_ service: any TransferService) async throws -> [Transfer] {
        var query = try await filter.query(in: service)
        if finished { query.states = TransferState.known.filter(\.isEnded) }
        guard let limit else { return try await filter.transfers(query, in: service) }
        query.newestFirst = true
        var found: [Transfer] = []
        try await filter.forEachPage(query, limit: limit, in: service) { page in
            found += page
            return found.count < limit
        }
        return found.prefix(limit).reversed()
    }

    /// Seconds for which finished transfers are listed by default.
    private static let recency = 86_400.0
    /// Maximum number of finished transfers examined for that, newest first.
    private static let mostEnded = 1000

    /// Unfinished and recently finished transfers.
    private func recent(_ service: any TransferService, now: Date) async throws -> [Transfer] {
        var query = TransferQuery()
        query.states = TransferState.known.filter { !$0.isEnded }
        let open = try await filter.transfers(query, in: service)
        query.states = TransferState.known.filter(\.isEnded)
        query.newestFirst = true
        query.limit = Self.mostEnded
        let start = now.addingTimeInterval(-Self.recency)
        let ended = try await service.transfers(query).transfers.filter { ($0.times.end ?? $0.createdAt) > start }
        // A transfer that finishes between the two calls is in both results.
        let endedIDs = Set(ended.map(\.id))
        return (open.filter { !endedIDs.contains($0.id) } + ended).sorted { $0.id < $1.id }
    }
}

/// Shows one transfer.
struct InfoCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "info", abstract: "Show the details of a transfer.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @Argument(
        help: "The transfer: its id, a prefix of it, its app's task id, or last for the newest.",
        completion: .ofFerry)
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        let transfer = try await service.transfer(TransferWords.id(id, in: service))
        context.console.print(
            json ? [try JSONText.line(transfer)] : TransferRendering.page(transfer, now: context.now()))
        return 0
    }
}
