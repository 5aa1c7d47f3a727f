import FerryCore

/// The methods that pause downloads, let them go on and end them.
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
        try await act(.cancel, on: download)
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
        do throws(TransferError) {
            return try await service.act(action, on: TransferSelection(ids: ids))
        } catch { throw RPCFault(error) }
    }

    // MARK: Many

    func pauseAll() async throws(RPCFault) -> RPCValue {
        try await act(.pause, onAll: [.running, .waiting])
        return "OK"
    }

    func unpauseAll() async throws(RPCFault) -> RPCValue {
        try await act(.resume, onAll: [.suspended])
        return "OK"
    }

    /// Forgets what has ended of the interface's own session: an app may still wait for the results of another one.
    func purgeResults() async throws(RPCFault) -> RPCValue {
        try await act(.remove, onAll: DownloadFinder.ended) { $0.session == configuration.session }
        return "OK"
    }

    /// Acts on what is listed of some states, group by group, until nothing more changes.
    private func act(
        _ action: TransferAction, onAll states: [TransferState], where isMeant: (Transfer) -> Bool = { _ in true }
    ) async throws(RPCFault) {
        var done: Set<TransferID> = []
        while true {
            let ids = try await downloads.transfers(states).filter(isMeant).map(\.id).filter { !done.contains($0) }
            guard !ids.isEmpty else { return }
            done.formUnion(ids)
            let results = try await act(action, on: ids)
            if action == .remove { for id in ids { memory.forget(id) } }
            guard results.contains(where: { $0.error == nil }) else { return }
        }
    }
}
