package import FerryCore

/// The transfers that operations hold, so that none of them starts.
///
/// A held transfer keeps its place in its queue. If its turn comes, it gets a slot after the release.
package struct HeldTransfers: Sendable {
    /// The work for which an operation holds a transfer. For each kind, a transfer has one holder at a time.
    package enum Work: Sendable {
        /// A command or a change is being stored. The queue thus learns of these commits in the journal's order.
        case commit
        /// Files are being removed, renamed or handed over. Commands treat the transfer like one with a run: they wait
        /// where they need its end.
        case files
    }

    private struct Hold: Sendable {
        package var isForCommit = false
        package var isForFiles = false
        /// The key of the transfer if its turn has come.
        package var key: QueueKey?
        /// Whether its deadline alarm went off.
        package var isDue = false
        /// Whether it has finished, or was removed.
        package var isOvertaken = false
        /// Whether an action returned before the release of its files.
        package var isAbandoned = false
    }

    /// The consequences of a release.
    package struct Released: Sendable {
        /// Transfers whose turn has come, to be queued again.
        package var waiting: [(id: TransferID, key: QueueKey)] = []
        /// Transfers whose deadline alarms went off.
        package var due: [TransferID] = []
        /// Whether an action returned before the release, and may have left work.
        package var wasAbandoned = false
    }

    private var holds: [TransferID: Hold] = [:]
    /// New transfers, which are held from before their commit until they are queued.
    private var new: [ClosedRange<TransferID>] = []

    package func contains(_ id: TransferID) -> Bool {
        !holds.isEmpty && holds[id] != nil || !new.isEmpty && new.contains { $0.contains(id) }
    }

    package func contains(_ id: TransferID, for work: Work) -> Bool {
        switch work {
        case .commit: holds[id]?.isForCommit == true || !new.isEmpty && new.contains { $0.contains(id) }
        case .files: holds[id]?.isForFiles == true
        }
    }

    // MARK: Holds

    mutating func hold(_ ids: some Sequence<TransferID>, for work: Work) {
        for id in ids {
            assert(!contains(id, for: work), "\(id) has two holders")
            switch work {
            case .commit: holds[id, default: Hold()].isForCommit = true
            case .files: holds[id, default: Hold()].isForFiles = true
            }
        }
    }

    mutating func release(_ ids: some Sequence<TransferID>, for work: Work) -> Released {
        var released = Released()
        for id in ids {
            guard var hold = holds[id] else { continue }
            switch work {
            case .commit: hold.isForCommit = false
            case .files:
                hold.isForFiles = false
                if hold.isAbandoned { released.wasAbandoned = true }
                hold.isAbandoned = false
            }
            end(hold, of: id, &released)
        }
        return released
    }

    /// Holds consecutive new transfers for their commit.
    mutating func hold(new ids: ClosedRange<TransferID>) { new.append(ids) }

    /// Ends the hold of new transfers. Returns `nil` if it had ended before.
    mutating func release(new ids: ClosedRange<TransferID>) -> Released? {
        guard let index = new.firstIndex(of: ids) else { return nil }
        new.remove(at: index)
        var released = Released()
        for (id, hold) in holds where ids.contains(id) { end(hold, of: id, &released) }
        return released
    }

    private mutating func end(_ hold: Hold, of id: TransferID, _ released: inout Released) {
        guard !hold.isForCommit, !hold.isForFiles else {
            holds[id] = hold
            return
        }
        holds[id] = nil
        if let key = hold.key { released.waiting.append((id, key)) }
        if hold.isDue { released.due.append(id) }
    }

    // MARK: Events during a hold

    /// Keeps the turn of a held transfer for its release.
    ///
    /// - Returns: False if it is not held.
    mutating func keep(_ id: TransferID, _ key: QueueKey) -> Bool {
        guard contains(id) else { return false }
        holds[id, default: Hold()].key = key
        return true
    }

    /// Discards the turn of a transfer that has another place, or is not to run.
    mutating func discard(_ id: TransferID) { if !holds.isEmpty { holds[id]?.key = nil } }

    /// Records that a transfer has finished, or was removed. A change being stored may be older, and must not queue it.
    mutating func overtake(_ id: TransferID) {
        discard(id)
        if !holds.isEmpty { holds[id]?.isOvertaken = true }
    }

    package func isOvertaken(_ id: TransferID) -> Bool { !holds.isEmpty && holds[id]?.isOvertaken == true }

    /// Keeps the deadline alarm of a held transfer for its release.
    ///
    /// - Returns: False if it is not held.
    mutating func ring(_ id: TransferID) -> Bool {
        guard contains(id) else { return false }
        holds[id, default: Hold()].isDue = true
        return true
    }

    /// Marks transfers as abandoned: actions return although the work on their files has not ended.
    mutating func leave(_ ids: some Sequence<TransferID>) {
        for id in ids where holds[id]?.isForFiles == true { holds[id]?.isAbandoned = true }
    }

    /// Re-keys the turns of a session's transfers.
    mutating func changeKeys(of session: SessionID, to changed: (QueueKey, TransferID) -> QueueKey?) {
        for (id, hold) in holds {
            guard let key = hold.key, key.session == session, let new = changed(key, id) else { continue }
            holds[id]?.key = new
        }
    }
}
