import FerryCore

/// Finds downloads by their gids, and lists them.
struct DownloadFinder: Sendable {
    let configuration: RPCEndpoint.Configuration
    let memory: EndpointMemory

    private var service: any SessionService { configuration.service }

    /// Transfers that a list shows at most: a poll of a long queue must not read all of it.
    static let mostListed = 10_000

    private static let unfinished: [TransferState] = [.running, .waiting, .suspended]
    static let ended: [TransferState] = [.succeeded, .failed, .canceled]

    /// The session whose transfers are listed; nil is all.
    var listed: SessionID? { configuration.showsAll() ? nil : configuration.session }

    /// The download whose gid is the first parameter.
    func find(_ parameters: RPCParameters) async throws(RPCFault) -> Download {
        try await find(try parameters.text(at: 0))
    }

    /// The download of a gid or of the only one that begins so.
    func find(_ text: String) async throws(RPCFault) -> Download {
        let gid = try GID.parse(text)
        if let download = try await existing(exactly: gid) { return download }
        var found: Download?
        for states in [Self.unfinished, Self.ended] {
            for transfer in try await transfers(states, newestFirst: true) {
                let download = Download(transfer)
                guard download.gid.hasPrefix(gid) else { continue }
                if download.gid == gid {
                    if download.note?.gid != nil { memory.setGID(gid, of: transfer.id) }
                    return download
                }
                guard found == nil else { throw .notUnique(gid) }
                found = download
            }
        }
        guard let found else { throw .notFound(gid) }
        return found
    }

    /// The download that has a whole gid, without a look through the list; nil if there is none.
    private func existing(exactly gid: String) async throws(RPCFault) -> Download? {
        guard let id = memory.transfer(named: gid) ?? TransferID(gid) else { return nil }
        do throws(TransferError) {
            let download = Download(try await service.transfer(id))
            return download.gid == gid && isVisible(download) ? download : nil
        } catch {
            guard error.code == .unknownTransfer else { throw RPCFault(error) }
            return nil
        }
    }

    /// Whether a client sees a download: one of the interface's session, or one that has been added here to another.
    private func isVisible(_ download: Download) -> Bool {
        listed.map { $0 == download.transfer.session } ?? true || download.note != nil
    }

    /// Whether a gid belongs to a transfer.
    func isTaken(_ gid: String) async throws(RPCFault) -> Bool {
        do throws(RPCFault) {
            _ = try await find(gid)
            return true
        } catch {
            guard error == .notFound(gid) else { throw error }
        }
        guard let id = TransferID(gid) else { return false }
        do throws(TransferError) { _ = try await service.transfer(id) } catch {
            guard error.code == .unknownTransfer else { throw RPCFault(error) }
            return false
        }
        return true
    }

    // MARK: Lists

    /// The first transfers of some states in the order of submission, or the last ones, the newest first.
    func transfers(
        _ states: [TransferState], newestFirst: Bool = false
    ) async throws(RPCFault) -> [Transfer] {
        var query = TransferQuery()
        query.session = listed
        query.states = states
        query.newestFirst = newestFirst
        query.limit = 1000
        var all: [Transfer] = []
        repeat {
            let page: TransferPage
            do throws(TransferError) { page = try await service.transfers(query) } catch { throw RPCFault(error) }
            all += page.transfers
            query.after = page.next
        } while query.after != nil && all.count < Self.mostListed
        return Array(all.prefix(Self.mostListed))
    }

    /// What runs, and what waits for something else than its turn.
    func active() async throws(RPCFault) -> [Transfer] {
        let running = try await transfers([.running])
        let waiting = try await transfers([.waiting]).filter { DownloadStatus($0) == .active }
        // A transfer that began between the two looks is among both.
        let known = Set(running.map(\.id))
        return (running + waiting.filter { !known.contains($0.id) }).sorted { $0.id < $1.id }
    }

    /// The waiting line: what waits and what is paused, in the order in which it gets its turns.
    func queued() async throws(RPCFault) -> [Transfer] {
        let transfers = try await transfers([.waiting, .suspended]).filter { DownloadStatus($0).isQueued }
        var ranks: [TransferID: Int] = [:]
        for session in Set(transfers.map(\.session)) {
            for (rank, id) in memory.order(of: session).enumerated() { ranks[id] = rank }
        }
        return transfers.sorted { one, other in
            let (first, second) = (ranks[one.id] ?? .max, ranks[other.id] ?? .max)
            return first == second ? one.id < other.id : first < second
        }
    }

    /// The newest transfers that have ended, in the order in which they did.
    func stopped() async throws(RPCFault) -> [Transfer] {
        try await transfers(Self.ended, newestFirst: true).sorted { one, other in
            let (first, second) = (one.finishedAt ?? one.createdAt, other.finishedAt ?? other.createdAt)
            return first == second ? one.id < other.id : first < second
        }
    }
}
