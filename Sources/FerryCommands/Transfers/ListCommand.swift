import ArgumentParser
import FerryCore

/// Shows what there is.
struct ListCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show transfers, in the order in which they were added.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Option(help: ArgumentHelp("Only transfers in this state; can be given again.", valueName: "state"))
    var state: [TransferState] = []

    @Option(help: ArgumentHelp("Only transfers of this session.", valueName: "name"))
    var session: String?

    @Option(help: ArgumentHelp("Only transfers with this tag.", valueName: "word"))
    var tag: String?

    @Option(help: ArgumentHelp("Only the newest so many.", valueName: "number"))
    var limit: Int?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1, not \(limit).") }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let transfers = try await fetch(context.service())
        if transfers.isEmpty {
            // A journal that was damaged and set aside shows as a list without transfers: this says where they went.
            for warning in try await context.service().status().warnings {
                context.remark("Warning: " + warning)
            }
        }
        if json {
            context.console.print(try JSONText.array(transfers))
        } else if transfers.isEmpty {
            context.console.say("There are no such transfers.")
        } else {
            context.console.print(TransferRendering.lines(transfers, withTitles: context.console.isTerminal(.output)))
        }
        return 0
    }

    private func fetch(_ service: any TransferService) async throws -> [Transfer] {
        var query = TransferQuery()
        query.states = state
        query.tag = tag
        if let session { query.session = try await SessionID(typed: session, in: service) }
        query.newestFirst = limit != nil
        var transfers: [Transfer] = []
        repeat {
            query.limit = min(1000, (limit ?? .max) - transfers.count)
            let page = try await service.transfers(query)
            transfers += page.transfers
            query.after = page.next
        } while query.after != nil && transfers.count < limit ?? .max
        return limit == nil ? transfers : transfers.reversed()
    }
}

/// Shows one transfer.
struct InfoCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show all that is known of a transfer.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .unknownID, .usage]

    @Argument(help: "The transfer.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let transfer = try await context.service().transfer(TransferID(typed: id))
        context.console.print(
            json ? [try JSONText.line(transfer)] : TransferRendering.page(transfer, now: context.now()))
        return 0
    }
}
