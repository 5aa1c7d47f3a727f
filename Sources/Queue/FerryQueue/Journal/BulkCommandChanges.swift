package import FerryCore
package import FerryRules

/// The state of many transfers that a command's outcome depends on.
package struct BulkCommandSituation: Sendable {
    package let now: ActiveTime.Instant
    /// Transfers that are delayed.
    package var delayed: Set<TransferID> = []
    /// Transfers with a run that may still be writing.
    package var running: Set<TransferID> = []
    /// Whether unfinished transfers may have files that were never recorded.
    package var mayHaveLeftovers = false

    package init(_ now: ActiveTime.Instant) { self.now = now }

    package func moment(of id: TransferID) -> CommandSituation {
        CommandSituation(
            now: now, isDelayed: delayed.contains(id), isRunning: running.contains(id),
            mayHaveLeftovers: mayHaveLeftovers)
    }
}

/// The outcome of a command for many transfers.
package struct BulkCommandChanges: Sendable {
    /// Changed transfers, already stored.
    package private(set) var changed: [TransferID] = []
    /// Transfers to delete that have nothing on disk. Not deleted yet.
    package private(set) var forgotten: [TransferID] = []
    /// Unchanged transfers: the command has an effect once their runs have ended.
    package private(set) var postponed: [TransferID] = []
    package private(set) var refused: [(id: TransferID, error: ServiceError)] = []

    package init() {}

    /// Records the machine's action for some transfers.
    ///
    /// - Returns: Whether there is something to store.
    package mutating func note(_ action: TransferMachine.Action, of ids: [TransferID]) -> Bool {
        switch action {
        case .none: return false
        case .postpone:
            postponed += ids
            return false
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

    /// Sorts the transfers by submission.
    package mutating func sort() {
        changed.sort()
        forgotten.sort()
        postponed.sort()
        refused.sort { $0.id < $1.id }
    }
}

/// The outcome of a command for one transfer.
package enum CommandOutcome: Sendable {
    /// The event, if the command has one now, and the transfer as stored, or as it was before its deletion.
    case done(TransferEvent?, TransferRecord)
    /// Unchanged: the command has no effect on the transfer.
    case none(TransferRecord)
    /// Unchanged: the command has an effect once the run has ended.
    case postponed
    case refused(ServiceError)
    case unknown
}
