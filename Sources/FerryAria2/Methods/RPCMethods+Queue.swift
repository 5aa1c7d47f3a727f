import FerryCore

/// The methods that change the place of a download in the line, and its URLs.
extension RPCMethods {
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
        do throws(TransferError) { try await service.reorder(transfer.session, TransferIDRuns(ids)) } catch {
            throw RPCFault(error)
        }
        memory.setOrder(ids, of: transfer.session)
        return to
    }

    func changeURI(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let file = try parameters.integer(at: 1, atLeast: 1)
        let (removed, added) = (try parameters.texts(at: 2), try parameters.texts(at: 3))
        let position = try parameters.position(at: 4)
        let download = try await downloads.find(gid)
        guard file == 1 else { throw .fileIndex }
        guard !download.status.isStopped else { throw .keepsURIs(download.gid) }
        let edit = download.urls.edited(removing: removed, adding: added, at: position)
        guard let urls = DownloadURLs(edit.urls) else {
            throw RPCFault("A download keeps one URL at least; add another one.")
        }
        if urls != download.urls {
            var change = TransferChange()
            change.url = urls.first == download.urls.first ? nil : urls.first
            change.mirrors = urls.mirrors
            var note = download.note ?? DownloadNote(gid: nil, urls: urls, options: OptionValues())
            note.urls = urls.mirrors.isEmpty ? [] : urls.all
            // A transfer of another client keeps that client's note.
            if download.transfer.note == nil || download.note != nil { change.note = note.stored }
            try await self.change(download, change)
        }
        return [.integer(edit.removed), .integer(edit.added)]
    }

    func change(_ download: Download, _ change: TransferChange) async throws(RPCFault) {
        do throws(TransferError) { _ = try await service.change(download.transfer.id, change) } catch {
            throw RPCFault(error)
        }
    }
}
