import FerryCore

/// The methods that report the status of downloads.
extension RPCMethods {
    func tellStatus(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let gid = try parameters.text(at: 0)
        let keys = try parameters.keys(at: 1)
        return withSizes(try await downloads.find(gid)).value(keys: keys)
    }

    /// Returns a removed download with the sizes that it had.
    private func withSizes(_ download: Download) -> Download {
        guard download.status == .removed else { return download }
        var download = download
        download.formerSizes = memory.sizes(of: download.transfer.id)
        return download
    }

    func tellActive(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let keys = try parameters.keys(at: 0)
        return try await memory.longLists.whileInTurn { () async throws(RPCFault) in
            var list = StatusList(keys: keys)
            try await downloads.forEach(of: .active) { (transfer) throws(RPCFault) in
                try list.append(withSizes(Download(transfer)))
            }
            return list.value
        }
    }

    func tellWaiting(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        try await page(of: .waiting, parameters)
    }

    func tellStopped(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        try await page(of: .ended, parameters)
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
        let counts: QueueCounts
        do throws(ServiceError) { counts = try await service.queueCounts(of: downloads.listed) } catch {
            throw RPCFault(error)
        }
        var speed: Int64 = 0
        try await downloads.forEach(of: .active) { transfer in
            speed = speed.addingSaturated(Download(transfer).speed)
        }
        return [
            "downloadSpeed": .digits(speed), "uploadSpeed": "0", "numActive": .digits(counts.active),
            "numWaiting": .digits(counts.waiting), "numStopped": .digits(counts.ended),
            "numStoppedTotal": .digits(counts.ended.addingSaturated(memory.removedResults)),
        ]
    }

    /// Returns the requested part of a list. A negative offset counts from the end and reverses the order.
    private func page(of part: QueuePart, _ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        let offset = try parameters.integer(at: 0)
        let number = try parameters.integer(at: 1, atLeast: 0)
        let keys = try parameters.keys(at: 2)
        func list() async throws(RPCFault) -> RPCValue {
            var list = StatusList(keys: keys)
            try await downloads.forEach(
                of: part, offset: offset < 0 ? -(offset + 1) : offset, number: number, reversed: offset < 0
            ) { (transfer) throws(RPCFault) in try list.append(withSizes(Download(transfer))) }
            return list.value
        }
        guard number > LongLists.short else { return try await list() }
        return try await memory.longLists.whileInTurn { () async throws(RPCFault) in try await list() }
    }
}

/// A list of statuses, serialized one by one, so that building stops once the list is too large.
private struct StatusList {
    let keys: Set<String>
    private var list: [RPCValue] = []
    private var size = 0

    init(keys: Set<String>) { self.keys = keys }

    var value: RPCValue { .array(list) }

    mutating func append(_ download: Download) throws(RPCFault) {
        let bytes = download.value(keys: keys).json
        size += bytes.count
        guard size <= RPCRun.mostBytes else { throw .tooLarge }
        list.append(.written(bytes))
    }
}
