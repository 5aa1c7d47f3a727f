/// The existing managers of a session.
struct ManagerHandles {
    /// A weak reference to a manager.
    private struct Handle {
        weak let manager: SessionManager?
    }

    private var handles: [Handle] = []
    /// Managers with closures, kept alive until all tasks have finished.
    private var kept: [SessionManager] = []

    /// The most recent one.
    var newest: SessionManager? { all.last }
    /// Each weak reference is read once: its manager may be released between two reads.
    var all: [SessionManager] { handles.compactMap(\.manager) }

    mutating func add(_ manager: SessionManager) {
        handles.removeAll { $0.manager == nil }
        handles.append(Handle(manager: manager))
    }

    /// Keeps a manager alive until the tasks have finished.
    mutating func keep(_ manager: SessionManager) {
        if !kept.contains(where: { $0 === manager }) { kept.append(manager) }
    }

    mutating func keepAllWithClosures() {
        for manager in all where manager.hasClosures { keep(manager) }
    }

    /// Releases the managers, because all tasks have finished.
    mutating func release() { kept = [] }
}

/// Decides when the closures of a session's managers are called, and after which others.
struct ManagerNotifications {
    /// Minimum time between two progress closures.
    static let progressSpacing: Duration = .milliseconds(95)

    private var lastProgress: ContinuousClock.Instant?
    /// Whether bytes have arrived without a call of the managers' progress closures.
    private(set) var owesProgress = false
    /// Marks of the closures of the latest ends in each queue. The managers' closures follow them.
    private var ends = [DeliveryMark?](repeating: nil, count: DeliveryQueue.allCases.count)
    private var progress: DeliveryMark?
    /// Whether tasks have finished without a process and the managers may not have been notified.
    private var hasMissedEnds = false

    /// Records received bytes. Returns whether a progress closure is due.
    mutating func bytesCame(isLast: Bool, at now: ContinuousClock.Instant) -> Bool {
        if !isLast, let last = lastProgress, now - last < Self.progressSpacing {
            owesProgress = true
            return false
        }
        lastProgress = now
        owesProgress = false
        return true
    }

    mutating func notedProgress(_ mark: DeliveryMark) { progress = mark }
    mutating func notedEnd(_ mark: DeliveryMark) { ends[mark.line.rawValue] = mark }

    /// Returns the mark to wait for after all ends so far.
    func afterEnds(in line: DeliveryQueue) -> DeliveryMark? { line.after(ends[0], ends[1]) }
    /// Returns the mark to wait for after all ends and progress so far.
    func afterAll(in line: DeliveryQueue) -> DeliveryMark? { line.after(ends[0], ends[1], progress) }

    mutating func missedEnd() { hasMissedEnds = true }

    /// Returns whether ends were missed, and resets that.
    mutating func takeMissedEnds() -> Bool {
        defer { hasMissedEnds = false }
        return hasMissedEnds
    }
}
