import FerryCore

/// A transfer in aria2's terms.
struct Download {
    let transfer: Transfer
    let note: DownloadNote?
    /// The sizes before it was removed, if they are known.
    var formerSizes: DownloadSizes?

    init(_ transfer: Transfer) {
        self.transfer = transfer
        note = DownloadNote(transfer)
    }

    var gid: String { note?.gid ?? transfer.id.description }
    var status: DownloadStatus { DownloadStatus(transfer) }

    var urls: DownloadURLs {
        note.flatMap { DownloadURLs($0.urls) } ?? DownloadURLs(transfer.url)
    }

    /// The file's path, or empty until its name is known.
    private var path: String {
        transfer.destination
            ?? (transfer.names.chosen ?? transfer.names.given).map { name in
                name.utf8.first == UInt8(ascii: "/") ? name : transfer.folder.appendingPathPart(name)
            } ?? ""
    }

    var sizes: DownloadSizes { DownloadSizes(total: total, received: received, durable: durable) }

    private var total: Int64 {
        formerSizes?.total ?? max(0, transfer.bytesExpected ?? (status == .complete ? transfer.bytesReceived : 0))
    }
    private var received: Int64 { formerSizes?.received ?? max(0, transfer.bytesReceived) }

    /// Bytes per second. 0 unless running.
    var speed: Int64 {
        guard transfer.state == .running, let speed = transfer.bytesPerSecond, speed > 0 else { return 0 }
        return speed < Double(SettingRange<Int64>.mostBytes) ? Int64(speed) : SettingRange<Int64>.mostBytes
    }

    /// The ranges that survive a power cut. All of the file once the download has succeeded.
    private var durable: ByteRangeSet { formerSizes?.durable ?? ownDurable }

    private var ownDurable: ByteRangeSet { status == .complete ? ByteRangeSet(0..<total) : transfer.own.durable }

    private var connections: Int {
        guard transfer.state == .running else { return 0 }
        return max(1, transfer.segments.count)
    }
}

// MARK: Results

extension Download {
    /// Returns the status of a download.
    ///
    /// - Parameter keys: The requested keys. Empty means all.
    func value(keys: Set<String>) -> RPCValue {
        let pieces = Pieces(total: total)
        var members: [String: RPCValue] = [:]
        func put(_ key: String, _ value: @autoclosure () -> RPCValue) {
            if keys.isEmpty || keys.contains(key) { members[key] = value() }
        }
        put("gid", .string(gid))
        put("status", .string(status.rawValue))
        put("totalLength", .digits(total))
        put("completedLength", .digits(received))
        put("uploadLength", "0")
        put("downloadSpeed", .digits(speed))
        put("uploadSpeed", "0")
        put("connections", .digits(connections))
        put("pieceLength", .digits(pieces.length))
        put("numPieces", .digits(pieces.count))
        put("dir", .string(transfer.folder))
        put("files", files)
        if pieces.count > 0 { put("bitfield", .string(pieces.bitfield(durable))) }
        if let verified = transfer.own.verifiedLength { put("verifiedLength", .digits(verified)) }
        if transfer.own.waitsForVerification { put("verifyIntegrityPending", "true") }
        if status.isStopped {
            put("errorCode", .digits(errorCode))
            put("errorMessage", .string(status == .complete ? "" : transfer.error?.message ?? ""))
        }
        return .object(members)
    }

    private var errorCode: Int {
        if status == .complete { return 0 }
        let code = transfer.error?.code ?? (status == .removed ? .canceled : .internal)
        return transfer.error?.aria2Status ?? code.row.aria2 ?? 1
    }

    var files: RPCValue {
        [
            [
                "index": "1", "path": .string(path), "length": .digits(total), "completedLength": .digits(received),
                "selected": "true", "uris": uris,
            ]
        ]
    }

    /// All URLs, marked as used or waiting. Once the download has started, its first URL counts as used if no segment
    /// names a source.
    var uris: RPCValue {
        let hasBegun = transfer.attempts > 0 || transfer.state == .running || status.isStopped
        let sources = Set(transfer.segments.compactMap(\.source))
        let used = sources.isEmpty && hasBegun ? [0] : sources
        let urls = urls
        return .array(
            urls.all.enumerated().map { place, url in
                [
                    "uri": .string(url),
                    "status": used.contains { urls.isSource($0, at: place) } ? "used" : "waiting",
                ]
            })
    }

    /// The server of each connection.
    var servers: RPCValue {
        var servers: [RPCValue] = transfer.segments.map { segment in
            let source = segment.source ?? 0
            let url = urls.url(of: source) ?? transfer.url
            let speed = max(0, segment.bytesPerSecond ?? 0)
            return Self.server(
                url, source == 0 ? transfer.finalURL ?? url : url,
                speed < Double(SettingRange<Int64>.mostBytes) ? Int64(speed) : SettingRange<Int64>.mostBytes)
        }
        if servers.isEmpty { servers = [Self.server(transfer.url, transfer.finalURL ?? transfer.url, speed)] }
        return [["index": "1", "servers": .array(servers)]]
    }

    private static func server(_ url: String, _ current: String, _ speed: Int64) -> RPCValue {
        ["uri": .string(url), "currentUri": .string(current), "downloadSpeed": .digits(speed)]
    }
}
