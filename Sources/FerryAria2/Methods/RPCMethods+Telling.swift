import FerryCore

/// The methods that tell how downloads stand.
extension RPCMethods {
    func tellStatus(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let keys = try parameters.keys(at: 1)
        return try await downloads.find(gid).value(keys: keys)
    }

    func tellActive(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let keys = try parameters.keys(at: 0)
        return try Self.list(try await downloads.active(), keys)
    }

    func tellWaiting(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let page = try Page(parameters)
        return try page.value(of: try await downloads.queued())
    }

    func tellStopped(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let page = try Page(parameters)
        return try page.value(of: try await downloads.stopped())
    }

    func peers(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        _ = try await downloads.find(parameters)
        return []
    }

    func servers(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let download = try await downloads.find(parameters)
        guard download.status == .active else { throw .noServers(download.gid) }
        return download.servers
    }

    func globalStat() async throws(RPCFault) -> RPCValue {
        let active = try await downloads.active()
        let counts = try await counts()
        func count(_ states: TransferState...) -> Int {
            states.reduce(0) { $0.addingSaturated(max(0, counts[$1.rawValue] ?? 0)) }
        }
        let speed = active.reduce(Int64(0)) { $0.addingSaturated(Download($1).speed) }
        let waitingAsActive = active.count { $0.state == .waiting }
        let stopped = count(.succeeded, .failed, .canceled)
        return [
            "downloadSpeed": .digits(speed), "uploadSpeed": "0",
            "numActive": .digits(count(.running) + waitingAsActive),
            "numWaiting": .digits(max(0, count(.waiting, .suspended) - waitingAsActive)),
            "numStopped": .digits(stopped), "numStoppedTotal": .digits(stopped),
        ]
    }

    /// How many of the listed transfers are in each state.
    private func counts() async throws(RPCFault) -> [String: Int] {
        do throws(TransferError) {
            if configuration.showsAll() { return try await service.status().transfers }
            return try await service.sessions().first { $0.id == configuration.session }?.transfers ?? [:]
        } catch { throw RPCFault(error) }
    }

    // MARK: Pages

    /// What a list's parameters ask for.
    private struct Page {
        let offset: Int
        let number: Int
        let keys: Set<String>

        init(_ parameters: RPCParameters) throws(RPCFault) {
            offset = try parameters.integer(at: 0)
            number = try parameters.integer(at: 1, atLeast: 0)
            keys = try parameters.keys(at: 2)
        }

        func value(of list: [Transfer]) throws(RPCFault) -> RPCValue {
            try RPCMethods.list(
                Pagination(count: list.count, offset: offset, number: number).part(of: list), keys)
        }
    }

    /// The statuses of some transfers, written one by one, so that a list that is too large ends early.
    private static func list(_ transfers: [Transfer], _ keys: Set<String>) throws(RPCFault) -> RPCValue {
        var list: [RPCValue] = []
        var size = 0
        for transfer in transfers {
            let bytes = Download(transfer).value(keys: keys).json
            size += bytes.count
            guard size <= RPCRun.mostBytes else { throw .tooLarge }
            list.append(.written(bytes))
        }
        return .array(list)
    }
}
