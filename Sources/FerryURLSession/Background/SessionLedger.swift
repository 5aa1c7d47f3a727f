import FerryCore

/// Which results of a session are being delivered, and which its service may forget. Performs nothing.
///
/// A transfer that has ended stays in its service until its delegate calls have returned; removing it there is the
/// acknowledgement. What is still there at the next attach is delivered again.
struct SessionLedger: Hashable, Sendable {
    /// Transfers whose delegate calls have not returned.
    private var delivering: Set<TransferID> = []
    /// Transfers in `delivering` that had ended before this process attached.
    private var kept: Set<TransferID> = []
    /// Delivered transfers that are still to be removed from the service.
    private var delivered: [TransferID] = []
    /// Transfers whose removal is under way.
    private var removing: Set<TransferID> = []
    private var isRestored: Bool
    /// Questions to the delegate that are not answered yet.
    private var questions = 0
    /// Whether the app was called to handle the session's events, and was not told yet that they are over.
    private var isCalled = false

    /// - Parameter isRestored: whether nothing of an earlier process is to be expected.
    init(isRestored: Bool = false) { self.isRestored = isRestored }

    /// Whether no event waits for a delegate or runs in one, and the service knows of all.
    var isQuiet: Bool {
        isRestored && delivering.isEmpty && delivered.isEmpty && removing.isEmpty && questions == 0 && !isCalled
    }

    /// Whether a transfer's result was delivered, and the service is yet to forget it.
    func isDelivered(_ id: TransferID) -> Bool { removing.contains(id) || delivered.contains(id) }

    /// Delivered transfers that the service is yet to forget.
    var unacknowledged: Set<TransferID> { removing.union(delivered) }

    /// The delegate is asked about a challenge: an event that lasts until the service has the answer.
    mutating func asked() { questions += 1 }
    mutating func answered() { questions -= 1 }

    /// The tasks of earlier processes are there.
    mutating func restored() { isRestored = true }

    /// The app was called to handle the session's events.
    mutating func called() { isCalled = true }

    /// A transfer has ended.
    ///
    /// - Parameter isKept: whether the transfer had ended before this process attached.
    /// - Returns: whether its result is to be delivered: true unless that is done or under way.
    mutating func ended(_ id: TransferID, isKept: Bool = false) -> Bool {
        guard !removing.contains(id), !delivered.contains(id), delivering.insert(id).inserted else { return false }
        if isKept { kept.insert(id) }
        return true
    }

    /// A transfer's last delegate call has returned.
    mutating func finished(_ id: TransferID) {
        guard delivering.remove(id) != nil else { return }
        kept.remove(id)
        delivered.append(id)
    }

    /// Takes the transfers to remove from the service now; none while a removal is under way.
    mutating func takeRemovals(upTo limit: Int = 1000) -> [TransferID] {
        guard removing.isEmpty else { return [] }
        let batch = Array(delivered.prefix(limit))
        delivered.removeFirst(batch.count)
        removing = Set(batch)
        return batch
    }

    /// A removal has ended.
    ///
    /// - Parameter isDone: whether the service has removed the transfers; if not, the removal is repeated.
    mutating func removed(isDone: Bool) {
        if !isDone { delivered.insert(contentsOf: removing.sorted(), at: 0) }
        removing.removeAll()
    }

    /// Whether the app is to be told that the events are over: true once for each call
    /// (docs/behaviour/url-session.md#56).
    mutating func takeFinish() -> Bool {
        guard isCalled, isRestored, kept.isEmpty, questions == 0 else { return false }
        isCalled = false
        return true
    }
}
