import FerryCore

/// A follower's position: the transfers it still waits for, and the last durable event it has seen.
struct FollowPosition {
    /// The unfinished transfers, or `nil` for all transfers.
    private(set) var open: Set<TransferID>?
    var last: Int64?
    private var bytes: [TransferID: Int64] = [:]

    /// The meaning of an event for the follower.
    enum Meaning { case nothing, told, progress }

    init(ids: [TransferID]?, last: Int64?) {
        open = ids.map(Set.init)
        self.last = last
    }

    var isDone: Bool { open?.isEmpty ?? false }

    /// Applies an event. An event that was already seen, or is about a transfer that is not followed, means nothing.
    mutating func take(_ event: TransferEvent) -> Meaning {
        var meaning = Meaning.told
        if let number = event.number {
            if let last, number <= last { return .nothing }
            last = number
            meaning = .progress
        }
        if let open, !open.contains(event.id) { return .nothing }
        if event.kind == .removed || event.kind == .succeeded && event.transfer == nil {
            forget(event.id)
        } else if let transfer = event.transfer {
            if transfer.bytesReceived > bytes[event.id, default: 0] { meaning = .progress }
            take(transfer)
        }
        return meaning
    }

    mutating func take(_ transfer: Transfer) {
        if transfer.state.isEnded {
            forget(transfer.id)
        } else {
            bytes[transfer.id] = max(bytes[transfer.id, default: 0], transfer.bytesReceived)
        }
    }

    mutating func forget(_ id: TransferID) {
        open?.remove(id)
        bytes[id] = nil
    }
}
