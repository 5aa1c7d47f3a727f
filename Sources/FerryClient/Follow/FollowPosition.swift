import FerryCore

/// How far a follower has come: which transfers it still waits for, and which durable event it saw last.
struct FollowPosition {
    /// The transfers that have not ended; nil is all there are.
    private(set) var open: Set<TransferID>?
    var last: Int64?
    private var bytes: [TransferID: Int64] = [:]

    /// What an event means to the follower.
    enum Meaning { case nothing, told, progress }

    init(ids: [TransferID]?, last: Int64?) {
        open = ids.map(Set.init)
        self.last = last
    }

    var isDone: Bool { open?.isEmpty ?? false }

    /// Takes an event; one that was seen before, or is about a transfer that is not followed, means nothing.
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
