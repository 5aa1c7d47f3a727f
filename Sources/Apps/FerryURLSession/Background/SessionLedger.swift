import FerryCore

/// The results of a session that are being delivered, and the transfers that its service may remove. A pure value
/// without I/O.
///
/// A finished transfer stays in its service until its delegate calls have returned; removing it there is the
/// acknowledgement. Transfers that remain are delivered again at the next attach.
struct SessionLedger: Hashable, Sendable {
    /// Transfers whose delegate calls have not returned.
    private var delivering: Set<TransferID> = []
    /// Transfers in `delivering` that had finished before this process attached.
    private var kept: Set<TransferID> = []
    /// Delivered transfers that have yet to be removed from the service.
    private var delivered: [TransferID] = []
    /// Transfers that are being removed.
    private var removing: Set<TransferID> = []
    private var isRestored: Bool
    /// Number of challenges that the delegate has not answered yet.
    private var questions = 0
    /// Whether the app was called to handle the session's events and has yet to receive `urlSessionDidFinishEvents`.
    private var isCalled = false

    /// - Parameter isRestored: Whether there are no tasks of earlier processes to restore.
    init(isRestored: Bool = false) { self.isRestored = isRestored }

    /// Whether no event waits for a delegate or is being handled by one, and the service has acknowledged all.
    var isQuiet: Bool {
        isRestored && delivering.isEmpty && delivered.isEmpty && removing.isEmpty && questions == 0 && !isCalled
    }

    /// Whether a transfer's result was delivered and the service has yet to remove it.
    func isDelivered(_ id: TransferID) -> Bool { removing.contains(id) || delivered.contains(id) }

    /// Delivered transfers that the service has yet to remove.
    var unacknowledged: Set<TransferID> { removing.union(delivered) }

    /// Records that the delegate was asked about a challenge. The event lasts until the service has the answer.
    mutating func asked() { questions += 1 }
    mutating func answered() { questions -= 1 }

    /// Records that the tasks of earlier processes are restored.
    mutating func restored() { isRestored = true }

    /// Records that the app was called to handle the session's events.
    mutating func called() { isCalled = true }

    /// Records that a transfer has finished.
    ///
    /// - Parameter isKept: Whether the transfer had finished before this process attached.
    /// - Returns: Whether to deliver its result: true unless it is delivered or being delivered.
    mutating func ended(_ id: TransferID, isKept: Bool = false) -> Bool {
        guard !removing.contains(id), !delivered.contains(id), delivering.insert(id).inserted else { return false }
        if isKept { kept.insert(id) }
        return true
    }

    /// Records that a transfer's last delegate call has returned.
    mutating func finished(_ id: TransferID) {
        guard delivering.remove(id) != nil else { return }
        kept.remove(id)
        delivered.append(id)
    }

    /// Returns the transfers to remove from the service next; none while a removal is in progress.
    mutating func takeRemovals(upTo limit: Int = 1000) -> [TransferID] {
        guard removing.isEmpty else { return [] }
        let batch = Array(delivered.prefix(limit))
        delivered.removeFirst(batch.count)
        removing = Set(batch)
        return batch
    }

    /// Records that a removal has finished.
    ///
    /// - Parameter isDone: Whether the service has removed the transfers. If not, the removal is repeated.
    mutating func removed(isDone: Bool) {
        if !isDone { delivered.insert(contentsOf: removing.sorted(), at: 0) }
        removing.removeAll()
    }

    /// Whether to notify the app that all events have been delivered: true once per call to handle events
    /// (docs/behaviour/url-session.md#56).
    mutating func takeFinish() -> Bool {
        guard isCalled, isRestored, kept.isEmpty, questions == 0 else { return false }
        isCalled = false
        return true
    }
}
