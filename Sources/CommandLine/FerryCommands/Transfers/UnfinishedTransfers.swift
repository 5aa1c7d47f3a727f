import FerryCore

/// Unfinished transfers of earlier commands in a session, so that repeating a command continues them.
struct UnfinishedTransfers {
    /// The properties that make two requests equal.
    private struct Key: Hashable {
        let url: String
        let folder: String
        var name: String?
        /// The range of the file, or nil for all of it.
        let range: String?
    }

    private var transfers: [Key: Transfer] = [:]

    /// Maximum number of unfinished transfers examined for individual URLs, newest first. For a list all are.
    private static let page = 1000

    /// Without any transfers.
    init() {}

    var isEmpty: Bool { transfers.isEmpty }

    /// - Parameter isForList: Whether to examine all unfinished transfers of the session.
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
                    url: transfer.url, folder: transfer.folder, name: transfer.names.given,
                    range: RangeTag.of(transfer.tags))
                // The newest one counts.
                if transfers[key] == nil { transfers[key] = transfer }
            }
            query.after = page.next
        } while isForList && query.after != nil
    }

    /// Returns the transfer that a request would repeat. Each is returned once.
    mutating func take(for request: TransferRequest) -> Transfer? { take(request.url, like: request) }

    /// Returns the transfer that a URL of a list would repeat.
    mutating func take(_ url: String, like template: TransferRequest) -> Transfer? {
        guard !transfers.isEmpty, template.method == "GET", let url = try? HTTPURL(parsing: url) else { return nil }
        var key = Key(
            url: url.withoutUserinfo.string, folder: template.file.folder, name: template.file.name,
            range: RangeTag.of(template.tags))
        if let transfer = transfers.removeValue(forKey: key) { return transfer }
        // HalfFiles adds the name of the URL to a request, so that the complete file replaces the incomplete one.
        guard key.name == nil else { return nil }
        key.name = HalfFile.name(of: url.string)
        return transfers.removeValue(forKey: key)
    }
}

/// An unfinished transfer to continue, and the request that now applies.
struct Continuation {
    let transfer: Transfer
    let request: TransferRequest

    var sentence: String {
        let amount = transfer.percent.map { "\($0)%" } ?? ByteText.of(transfer.bytesMoved)
        return "continuing \(transfer.id) at \(amount): \(transfer.displayName)"
    }

    /// The request's options that may differ from the transfer's. Default values change nothing.
    var change: TransferChange {
        let usual = TransferRequest(url: request.url, folder: request.file.folder)
        var change = TransferChange()
        if request.response.checksums != usual.response.checksums { change.checksums = request.response.checksums }
        if request.headers != usual.headers { change.headers = request.headers }
        if !request.cookies.isEmpty { change.login.cookies = request.cookies }
        // The netrc file is read for every command. It matters where something went wrong.
        if transfer.error != nil, !request.login.logins.isEmpty { change.login.logins = request.login.logins }
        if request.mirrors != usual.mirrors { change.mirrors = request.mirrors }
        let priority = request.timing.priority
        // A user who only waits for it takes nothing from an explicit priority.
        if priority != (priority == .foreground ? max(transfer.priority, .foreground) : transfer.priority) {
            change.priority = priority
        }
        if request.transport.rateLimit != usual.transport.rateLimit { change.rateLimit = request.transport.rateLimit }
        if request.file.onConflict != usual.file.onConflict { change.onConflict = request.file.onConflict }
        change.connections = request.transport.connections
        // New credentials, for the same bytes.
        if let url = try? HTTPURL(parsing: request.url), url.credentials != nil { change.url = request.url }
        return change
    }
}

extension [Continuation] {
    /// Continues the transfers with the requested changes where possible.
    ///
    /// - Throws: The first error, since waiting for a transfer that cannot continue would be pointless.
    func resume(in service: any TransferService) async throws(ServiceError) {
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
