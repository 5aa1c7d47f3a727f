import FerryCore

/// The downloads that wait or are paused, in the order in which they get their turns.
struct WaitingLine: Sendable {
    let downloads: DownloadFinder

    func changePosition(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let position = try parameters.integer(at: 1)
        let origin = try parameters.text(at: 2)
        guard ["POS_SET", "POS_CUR", "POS_END"].contains(origin) else { throw RPCFault("Illegal argument.") }
        let download = try await downloads.find(gid)
        let place = try await move(download.transfer) { place, count in
            switch origin {
            case "POS_SET": position
            case "POS_CUR": place.addingSaturated(position)
            default: (count - 1).addingSaturated(position)
            }
        }
        guard let place else { throw .notWaiting(download.gid) }
        return .integer(place)
    }

    /// Moves a transfer within the waiting line.
    ///
    /// - Parameter place: where it goes, from where it is and how many there are; the nearest place that there is counts.
    /// - Returns: where it is then; nil if it is not in the line.
    @discardableResult
    func move(
        _ transfer: Transfer, to place: (_ from: Int, _ count: Int) -> Int
    ) async throws(RPCFault) -> Int? {
        var line = try await downloads.queued()
        guard let from = line.firstIndex(where: { $0.id == transfer.id }) else { return nil }
        let to = min(max(0, place(from, line.count)), line.count - 1)
        let moved = line.remove(at: from)
        line.insert(moved, at: to)
        // What has a slot or will get one by itself stays before the line.
        let active = try await downloads.active()
        let ids = (active + line).filter { $0.session == transfer.session }.map(\.id)
        do throws(TransferError) {
            try await downloads.configuration.service.reorder(transfer.session, TransferIDRuns(ids))
        } catch {
            throw RPCFault(error)
        }
        downloads.memory.setOrder(ids, of: transfer.session)
        return to
    }
}
