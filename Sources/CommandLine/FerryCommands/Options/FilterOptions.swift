import ArgumentParser
import FerryCore
import Glibc

/// Options that filter transfers.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only transfers in this state; can be given several times.", valueName: "state"),
        completion: .list(TransferState.known.map(\.word)), transform: FilterOptions.state)
    var state: [TransferState] = []

    @Option(help: ArgumentHelp("Only transfers of this session.", valueName: "name"), completion: .ofFerry)
    var session: String?

    @Option(help: ArgumentHelp("Only transfers with this tag.", valueName: "word"), completion: .ofFerry)
    var tag: String?

    @Option(
        help: ArgumentHelp(
            "Only transfers whose URL matches; * matches any text, ? any character.", valueName: "pattern"))
    var url: String?

    /// Whether every transfer matches.
    var isEmpty: Bool { state.isEmpty && session == nil && tag == nil && url == nil }

    func query(in service: any TransferService) async throws(ServiceError) -> TransferQuery {
        var query = TransferQuery()
        query.states = state
        query.tag = tag
        if let session { query.session = try await SessionID(typed: session, in: service) }
        return query
    }

    /// Calls a closure with each page of matching transfers, until it returns false.
    ///
    /// - Parameter limit: The required number.
    func forEachPage(
        _ query: TransferQuery, limit: Int = .max, in service: any TransferService, _ body: ([Transfer]) -> Bool
    ) async throws(ServiceError) {
        var query = query
        query.limit = url == nil ? min(Self.pageSize, limit) : Self.pageSize
        repeat {
            let page = try await service.transfers(query)
            guard body(page.transfers.filter(matches)) else { return }
            query.after = page.next
        } while query.after != nil
    }

    private static let pageSize = 1000

    /// Returns all matching transfers, oldest first.
    func transfers(in service: any TransferService) async throws(ServiceError) -> [Transfer] {
        try await transfers(query(in: service), in: service)
    }

    func transfers(
        _ query: TransferQuery, in service: any TransferService
    ) async throws(ServiceError) -> [Transfer] {
        var found: [Transfer] = []
        try await forEachPage(query, in: service) { page in
            found += page
            return true
        }
        return found
    }

    private func matches(_ transfer: Transfer) -> Bool {
        guard let url else { return true }
        return unsafe fnmatch(url, transfer.url, 0) == 0
    }

    @Sendable private static func state(_ text: String) throws -> TransferState {
        guard let state = TransferState.known.first(where: { $0.word == text || $0.rawValue == text }) else {
            let known = TransferState.known.map(\.word).joined(separator: ", ")
            throw ValidationError("“\(text.escapingControls)” is not a state; the states are \(known).")
        }
        return state
    }
}
