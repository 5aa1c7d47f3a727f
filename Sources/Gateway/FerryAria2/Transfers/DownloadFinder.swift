import FerryCore

/// Finds downloads by their gids and lists the parts of the queue.
struct DownloadFinder: Sendable {
    let configuration: RPCEndpoint.Configuration

    private var service: any SessionService { configuration.service }

    /// The session to list, or `nil` for all sessions.
    var listed: SessionID? { configuration.showsAll() ? nil : configuration.session }

    // MARK: One download

    /// Returns the download named by the first parameter.
    func find(_ parameters: RPCParameters) async throws(RPCFault) -> Download {
        try await find(try parameters.text(at: 0))
    }

    /// Returns the download with a gid, or the only one with this prefix.
    func find(_ text: String) async throws(RPCFault) -> Download {
        let gid = try GID.parse(text)
        if let download = try await download(named: gid) { return download }
        guard gid.utf8.count < GID.digits else { throw .notFound(gid) }
        let found = try await beginning(with: gid)
        guard found.count < 2 else { throw .notUnique(gid) }
        guard let download = found.first else { throw .notFound(gid) }
        return download
    }

    /// Returns the download with a complete gid, either chosen by a client or the transfer's id.
    private func download(named gid: String) async throws(RPCFault) -> Download? {
        guard gid.utf8.count == GID.digits else { return nil }
        if let chosen = try await chosen(gid, limit: 1).first { return chosen }
        guard let id = TransferID(gid), let transfer = try await transfer(id) else { return nil }
        let download = Download(transfer)
        return download.gid == gid && isVisible(download) ? download : nil
    }

    /// Returns at most two downloads with this prefix of a gid.
    private func beginning(with prefix: String) async throws(RPCFault) -> [Download] {
        var found = try await chosen(prefix, limit: 2)
        guard found.count < 2, let ids = GID.ids(beginning: prefix) else { return found }
        var query = TransferQuery()
        query.session = listed
        query.after = ids.lowerBound.rawValue > 0 ? TransferID(rawValue: ids.lowerBound.rawValue - 1) : nil
        query.limit = 16
        repeat {
            let page = try await page(query)
            for transfer in page.transfers {
                guard ids.contains(transfer.id) else { return found }
                let download = Download(transfer)
                // A chosen gid replaces the id.
                if download.note?.gid == nil { found.append(download) }
                if found.count == 2 { return found }
            }
            query.after = page.next
        } while query.after != nil
        return found
    }

    /// Returns downloads with a client-chosen gid that has this prefix.
    private func chosen(_ prefix: String, limit: Int) async throws(RPCFault) -> [Download] {
        var query = TransferQuery()
        query.tagPrefix = GID.tag(prefix)
        query.limit = limit
        return try await page(query).transfers.map(Download.init).filter(isVisible)
    }

    /// Whether clients see a download: it belongs to a listed session, or was added over this interface.
    private func isVisible(_ download: Download) -> Bool {
        listed.map { $0 == download.transfer.session } ?? true || download.note != nil
    }

    /// Whether a gid belongs to any transfer, including ones hidden from clients.
    func isTaken(_ gid: String) async throws(RPCFault) -> Bool {
        if try await !chosen(gid, limit: 1).isEmpty { return true }
        guard let id = TransferID(gid) else { return false }
        return try await transfer(id) != nil
    }

    private func transfer(_ id: TransferID) async throws(RPCFault) -> Transfer? {
        do throws(ServiceError) { return try await service.transfer(id) } catch {
            guard error.code == .unknownTransfer else { throw RPCFault(error) }
            return nil
        }
    }

    // MARK: Lists

    /// Calls a closure with the transfers of a part of the queue, starting at an offset.
    func forEach(
        of part: QueuePart, offset: Int = 0, number: Int = .max, reversed: Bool = false,
        _ handle: (Transfer) throws(RPCFault) -> Void
    ) async throws(RPCFault) {
        var query = QueueQuery(part, session: listed, offset: offset, reversed: reversed)
        var left = number
        // The queue may change between two pages. Each transfer is delivered once.
        var seen: Set<TransferID> = []
        while left > 0 {
            query.limit = min(left, Self.pageSize)
            let transfers: [Transfer]
            do throws(ServiceError) { transfers = try await service.queue(query) } catch { throw RPCFault(error) }
            for transfer in transfers where seen.insert(transfer.id).inserted { try handle(transfer) }
            guard transfers.count == query.limit else { return }
            left -= transfers.count
            query.offset = query.offset.addingSaturated(transfers.count)
        }
    }

    private static let pageSize = 100

    /// Returns the transfers that run, or wait for another attempt, free disk space or their folder.
    func active() async throws(RPCFault) -> [Transfer] {
        var active: [Transfer] = []
        try await forEach(of: .active) { active.append($0) }
        return active
    }

    /// Calls a closure with batches of the session's transfers in the given states, in order of submission.
    func forEachGroup(
        _ states: [TransferState], of session: SessionID?, _ body: ([Transfer]) async throws(RPCFault) -> Void
    ) async throws(RPCFault) {
        var query = TransferQuery()
        query.session = session
        query.states = states
        query.limit = 1000
        repeat {
            let page = try await page(query)
            if !page.transfers.isEmpty { try await body(page.transfers) }
            query.after = page.next
        } while query.after != nil
    }

    private func page(_ query: TransferQuery) async throws(RPCFault) -> TransferPage {
        do throws(ServiceError) { return try await service.transfers(query) } catch { throw RPCFault(error) }
    }
}
