import FerryCore

/// What earlier commands have left unfinished in a session, so that the same command again goes on with it.
struct UnfinishedTransfers {
    /// What makes two transfers the same wish.
    private struct Key: Hashable {
        let url: String
        let folder: String
        let name: String?
        /// The part of the file; nil for all of it.
        let range: String?
    }

    private var transfers: [Key: Transfer] = [:]

    /// How many of the newest open transfers are looked at for some URLs; for a list all are.
    private static let page = 1000

    /// Knows of none.
    init() {}

    var isEmpty: Bool { transfers.isEmpty }

    /// - Parameter isForList: whether all open transfers of the session may be meant.
    init(
        _ service: any TransferService, session: SessionID, isForList: Bool = false
    ) async throws(ServiceError) {
        var query = TransferQuery()
        query.session = session
        query.states = TransferState.known.filter { !$0.isEnded }
        query.newestFirst = true
        query.limit = Self.page
        repeat {
            let page = try await service.transfers(query)
            for transfer in page.transfers where transfer.method == "GET" {
                let key = Key(
                    url: transfer.url, folder: transfer.folder, name: transfer.givenName,
                    range: RangeTag.of(transfer.tags))
                // The newest one counts.
                if transfers[key] == nil { transfers[key] = transfer }
            }
            query.after = page.next
        } while isForList && query.after != nil
    }

    /// The transfer that a request would make a second time; each counts for one request.
    mutating func take(for request: TransferRequest) -> Transfer? { take(request.url, like: request) }

    /// The transfer that a URL of a list would make a second time.
    mutating func take(_ url: String, like template: TransferRequest) -> Transfer? {
        guard !transfers.isEmpty, template.method == "GET", let url = try? HTTPURL(parsing: url) else { return nil }
        return transfers.removeValue(
            forKey: Key(
                url: url.withoutUserinfo.string, folder: template.folder, name: template.name,
                range: RangeTag.of(template.tags)))
    }
}

/// An unfinished transfer that goes on, and the request that asks for it now.
struct Continuation {
    let transfer: Transfer
    let request: TransferRequest

    var sentence: String {
        let amount = transfer.percent.map { "\($0)%" } ?? ByteText.of(transfer.bytesMoved)
        return "going on with \(transfer.id) at \(amount): \(transfer.displayName)"
    }

    /// What the request asks for that the transfer may not have been begun with: what is as usual changes nothing.
    var change: TransferChange {
        let usual = TransferRequest(url: request.url, folder: request.folder)
        var change = TransferChange()
        if request.checksums != usual.checksums { change.checksums = request.checksums }
        if request.headers != usual.headers { change.headers = request.headers }
        if request.mirrors != usual.mirrors { change.mirrors = request.mirrors }
        if request.priority != usual.priority { change.priority = request.priority }
        if request.rateLimit != usual.rateLimit { change.rateLimit = request.rateLimit }
        if request.onConflict != usual.onConflict { change.onConflict = request.onConflict }
        change.connections = request.connections
        // With a login of its own; the bytes are the same.
        if let url = try? HTTPURL(parsing: request.url), url.credentials != nil { change.url = request.url }
        return change
    }
}

extension [Continuation] {
    /// Lets the transfers go on, as far as possible with what is asked for now.
    ///
    /// - Throws: the first error: a transfer that cannot go on would be waited for in vain.
    func goOn(in service: any TransferService) async throws(ServiceError) {
        var unchanged: [TransferID] = []
        for continuation in self {
            var change = continuation.change
            if change == TransferChange() {
                unchanged.append(continuation.transfer.id)
            } else {
                change.action = .resume
                _ = try await service.change(continuation.transfer.id, change)
            }
        }
        guard !unchanged.isEmpty else { return }
        let results = try await service.act(.resume, onMany: TransferSelection(ids: unchanged))
        if let error = results.compactMap(\.error).first { throw error }
    }
}
