/// What a wish for many transfers depends on besides the transfers.
package struct BulkCommandSituation: Sendable {
    package let now: ActiveTime.Instant
    /// Transfers that wait for a moment.
    package var delayed: Set<TransferID> = []
    /// Transfers whose runs have not ended, and may be writing.
    package var running: Set<TransferID> = []

    package init(_ now: ActiveTime.Instant) { self.now = now }

    package func moment(of id: TransferID) -> CommandSituation {
        CommandSituation(now: now, isDelayed: delayed.contains(id), isRunning: running.contains(id))
    }
}

/// What a wish for many transfers has come to.
package struct BulkCommandChanges: Sendable {
    /// Transfers that have changed and are stored so.
    package private(set) var changed: [TransferID] = []
    /// Transfers that leave nothing behind; they are still stored.
    package private(set) var forgotten: [TransferID] = []
    package private(set) var refused: [(id: TransferID, error: ServiceError)] = []

    package init() {}

    /// Notes what the machine has answered for some transfers.
    ///
    /// - Returns: whether there is something to store.
    package mutating func note(_ action: TransferMachine.Action, of ids: [TransferID]) -> Bool {
        switch action {
        case .none: return false
        case .refuse(let error):
            refused += ids.map { ($0, error) }
            return false
        case .forget:
            forgotten += ids
            return false
        case .stop, .rest, .enqueue, .finish:
            changed += ids
            return true
        }
    }

    /// Brings the transfers into the order of submission.
    package mutating func sort() {
        changed.sort()
        forgotten.sort()
        refused.sort { $0.id < $1.id }
    }
}

/// What became of a wish for one transfer.
package enum CommandOutcome: Sendable {
    /// The event that tells of it, and the transfer as it is stored, or was; no event if none tells of it, or not yet.
    case done(TransferEvent?, TransferRecord)
    /// Nothing has changed: it is as it is wished, or cannot be.
    case none(TransferRecord)
    /// Nothing has changed: it is not what the wish was decided from.
    case stale
    case refused(ServiceError)
    case unknown
}
