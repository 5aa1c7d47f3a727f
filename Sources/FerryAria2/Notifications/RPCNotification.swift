import FerryCore

/// What clients on a WebSocket are told of a download.
struct RPCNotification: Hashable {
    enum Kind: String, CaseIterable {
        case start = "aria2.onDownloadStart"
        case pause = "aria2.onDownloadPause"
        case stop = "aria2.onDownloadStop"
        case complete = "aria2.onDownloadComplete"
        case error = "aria2.onDownloadError"
        /// Never sent.
        case torrentComplete = "aria2.onBtDownloadComplete"
    }

    let kind: Kind
    let gid: String

    var json: [UInt8] {
        RPCValue.object([
            "jsonrpc": "2.0", "method": .string(kind.rawValue), "params": [["gid": .string(gid)]],
        ]).json
    }
}

/// Decides which of Ferry's events aria2's clients are told of.
///
/// Ferry tells of every attempt; clients hear of the start of a download once, until it is paused or has ended, and before
/// its end even if the download was so short that no running was seen.
struct NotificationRule {
    /// Downloads of which a start is still to be told.
    private var pending = BoundedMap<TransferID, Bool>(most: EndpointMemory.mostTransfers)
    private var started = BoundedMap<TransferID, Bool>(most: EndpointMemory.mostTransfers)

    /// Notes that clients have been told of a start already, or had no connection then.
    mutating func noteStart(of id: TransferID) { started[id] = true }

    mutating func kinds(of event: TransferEvent) -> [RPCNotification.Kind] {
        switch event.kind {
        case .submitted:
            if event.transfer?.state != .suspended { pending[event.id] = true }
            return []
        case .resumed:
            pending[event.id] = true
            return []
        case .running:
            guard started[event.id] == nil else { return [] }
            pending[event.id] = nil
            started[event.id] = true
            return [.start]
        case .suspended: return ended(event.id, .pause, tellsStart: false)
        case .succeeded: return ended(event.id, .complete, tellsStart: true)
        case .failed: return ended(event.id, .error, tellsStart: true)
        case .canceled: return ended(event.id, .stop, tellsStart: false)
        case .removed:
            _ = ended(event.id, .stop, tellsStart: false)
            return []
        case .waiting, .progress, .changed, .unknown: return []
        }
    }

    private mutating func ended(
        _ id: TransferID, _ kind: RPCNotification.Kind, tellsStart: Bool
    ) -> [RPCNotification.Kind] {
        let isUntold = pending[id] != nil
        pending[id] = nil
        started[id] = nil
        return tellsStart && isUntold ? [.start, kind] : [kind]
    }
}
