import ArgumentParser
import FerryCore
import FerryFoundation

/// Removes finished transfers from the list.
struct ClearCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "clear", abstract: "Remove finished transfers from the list; their files stay.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only transfers finished at least this long ago, such as 30m, 12h or 7d.", valueName: "span"),
        transform: SpanArgument.parse)
    var olderThan: Double?

    @OptionGroup var filter: FilterOptions

    @OptionGroup var output: ResultOutput

    func validate() throws {
        if let open = filter.state.first(where: { !$0.isEnded }) {
            throw ValidationError("--state \(open.word) is not a finished state; use ferry remove for such transfers.")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        var query = try await filter.query(in: service)
        if query.states.isEmpty { query.states = TransferState.known.filter(\.isEnded) }
        let limit = olderThan.map { context.now().addingTimeInterval(-$0) } ?? .distantFuture
        let ids = try await filter.transfers(query, in: service)
            .filter { ($0.times.end ?? $0.createdAt) <= limit }.map(\.id)
        let results = ids.isEmpty ? [] : try await service.act(.remove, onMany: TransferSelection(ids: ids))
        if output.json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results where result.error != nil { context.console.say(result.line) }
            let count = results.count { $0.error == nil }
            if !output.quiet { context.console.say(count == 0 ? "Nothing to remove." : "forgotten: \(count)") }
        }
        return results.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }
}
