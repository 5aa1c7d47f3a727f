import FerryCore

/// A notification about a download for WebSocket clients.
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

/// Maps Ferry's events to aria2's notifications.
///
/// Ferry reports every attempt. Clients get one start per download, until it pauses or finishes. If a download finishes
/// before an attempt was seen, the start is sent just before the completion or error.
struct NotificationRule {
    /// Downloads with a start notification that was not yet sent.
    private var pending = BoundedMap<TransferID, Bool>(most: EndpointMemory.mostTransfers)
    private var started = BoundedMap<TransferID, Bool>(most: EndpointMemory.mostTransfers)

    /// Records that no start is to be sent: it was sent already, or happened before there was a connection.
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
        case .suspended: return ended(event.id, .pause, reportsStart: false)
        case .succeeded: return ended(event.id, .complete, reportsStart: true)
        case .failed: return ended(event.id, .error, reportsStart: true)
        case .canceled: return ended(event.id, .stop, reportsStart: false)
        case .removed:
            _ = ended(event.id, .stop, reportsStart: false)
            return []
        case .waiting, .progress, .changed, .unknown: return []
        }
    }

    private mutating func ended(
        _ id: TransferID, _ kind: RPCNotification.Kind, reportsStart: Bool
    ) -> [RPCNotification.Kind] {
        let isUntold = pending[id] != nil
        pending[id] = nil
        started[id] = nil
        return reportsStart && isUntold ? [.start, kind] : [kind]
    }
}
