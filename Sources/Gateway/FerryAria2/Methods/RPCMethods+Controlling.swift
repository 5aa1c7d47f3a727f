import FerryCore

/// The methods that pause, resume and remove downloads.
extension RPCMethods {
    func pause(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        guard download.status == .active || download.status == .waiting else { throw .cannotPause(download.gid) }
        try await act(.pause, on: download)
        return .string(download.gid)
    }

    func unpause(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        guard download.status == .paused else { throw .cannotUnpause(download.gid) }
        try await act(.resume, on: download)
        return .string(download.gid)
    }

    func remove(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        guard !download.status.isStopped else { throw .notActive(download.gid) }
        memory.setSizes(download.sizes, of: download.transfer.id)
        do throws(RPCFault) { try await act(.cancel, on: download) } catch {
            memory.setSizes(nil, of: download.transfer.id)
            throw error
        }
        return .string(download.gid)
    }

    func removeResult(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        guard download.status.isStopped else { throw .keepsResult(download.gid) }
        try await act(.remove, on: download)
        memory.forget(download.transfer.id)
        return "OK"
    }

    private func act(_ action: TransferAction, on download: Download) async throws(RPCFault) {
        let results = try await act(action, on: [download.transfer.id])
        if let error = results.first?.error { throw RPCFault(error) }
    }

    private func act(_ action: TransferAction, on ids: [TransferID]) async throws(RPCFault) -> [ActionResult] {
        do throws(ServiceError) {
            return try await service.act(action, on: TransferSelection(ids: ids))
        } catch { throw RPCFault(error) }
    }

    // MARK: Many

    func pauseAll() async throws(RPCFault) -> RPCValue {
        try await act(.pause, onAll: [.running, .waiting], of: downloads.listed)
        return "OK"
    }

    func unpauseAll() async throws(RPCFault) -> RPCValue {
        try await act(.resume, onAll: [.suspended], of: downloads.listed)
        return "OK"
    }

    /// Removes the finished downloads of the interface's own session. Apps may still need the results of other
    /// sessions.
    func purgeResults() async throws(RPCFault) -> RPCValue {
        try await act(.remove, onAll: [.succeeded, .failed, .canceled], of: configuration.session)
        return "OK"
    }

    /// Applies an action to all transfers in the given states, batch by batch.
    private func act(
        _ action: TransferAction, onAll states: [TransferState], of session: SessionID?
    ) async throws(RPCFault) {
        try await downloads.forEachGroup(states, of: session) { (transfers) throws(RPCFault) in
            let ids = transfers.map(\.id)
            let results = try await act(action, on: ids)
            if action == .remove { for result in results where result.error == nil { memory.forget(result.id) } }
        }
    }
}

/// The method that moves a download within the queue.
extension RPCMethods {
    func changePosition(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let position = try parameters.integer(at: 1)
        let origin: QueueMove.Origin
        switch try parameters.text(at: 2) {
        case "POS_SET": origin = .start
        case "POS_CUR": origin = .current
        case "POS_END": origin = .end
        default: throw RPCFault("Illegal argument.")
        }
        let download = try await downloads.find(gid)
        let place: Int?
        do throws(ServiceError) {
            place = try await service.move(download.transfer.id, QueueMove(position, from: origin))
        } catch { throw RPCFault(error) }
        guard let place else { throw .notWaiting(download.gid) }
        return .integer(place)
    }
}
