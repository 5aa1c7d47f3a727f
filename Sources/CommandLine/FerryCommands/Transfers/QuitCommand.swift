import ArgumentParser
import FerryCore

/// Force-quits a background session.
struct QuitCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "quit",
        abstract: "Quit an app's background session: its transfers end, and the app is not launched for them.",
        discussion: "The transfers' bytes are kept, so the app can resume them when it is next started.")
    static let exitStatuses: [ExitStatus] = [.success, .own, .daemon, .usage]

    @Argument(
        help: "The session, as app/identifier, or its identifier alone if unique.",
        completion: .ofFerry)
    var session: String

    @Flag(help: "Print the results as JSON.")
    var json = false

    func run(in context: CommandContext) async throws -> Int32 {
        let service = try context.service()
        let results = try await service.quit(.session(SessionID(typed: session, in: service)))
        if json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results { context.console.say(result.line) }
            if results.isEmpty { context.console.say("The session has no unfinished transfers.") }
        }
        return results.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }
}

extension SessionID {
    /// Parses a session's full name, or its identifier if it is unique.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if several sessions have the identifier.
    init(typed text: String, in service: any TransferService) async throws(ServiceError) {
        let known = try await service.sessions().map(\.id)
        let named = try SessionID(text)
        let found = known.filter { $0.name.hasSuffix("/" + text) || $0.name.hasSuffix(":" + text) }
        guard !known.contains(named), let first = found.first else {
            self = named
            return
        }
        guard found.count == 1 else {
            let names = found.map { "“\($0.name.escapingControls)”" }.joined(separator: ", ")
            throw ServiceError(.invalidRequest, "Several sessions are “\(text.escapingControls)”: \(names).")
        }
        self = first
    }
}
