/// The managers of a session that are there.
struct ManagerHandles {
    /// A manager that may be gone.
    private struct Handle {
        weak let manager: SessionManager?
    }

    private var handles: [Handle] = []
    /// Managers with closures, which live until all tasks have ended.
    private var kept: [SessionManager] = []

    /// The one that was made last.
    var newest: SessionManager? { all.last }
    /// Each handle is looked at once: its manager may go between two looks.
    var all: [SessionManager] { handles.compactMap(\.manager) }

    mutating func add(_ manager: SessionManager) {
        handles.removeAll { $0.manager == nil }
        handles.append(Handle(manager: manager))
    }

    /// Lets a manager live until the tasks have ended.
    mutating func keep(_ manager: SessionManager) {
        if !kept.contains(where: { $0 === manager }) { kept.append(manager) }
    }

    mutating func keepAllWithClosures() {
        for manager in all where manager.hasClosures { keep(manager) }
    }

    /// All tasks have ended.
    mutating func release() { kept = [] }
}

/// When the closures of a session's managers are called, and after which others.
struct ManagerNotifications {
    /// Shortest time between two progress closures.
    static let progressSpacing: Duration = .milliseconds(95)

    private var lastProgress: ContinuousClock.Instant?
    /// Whether bytes have come that no progress closure of the managers was called for.
    private(set) var owesProgress = false
    /// Where the closures of the latest ends are in each line; the managers' closures follow them.
    private var ends = [DeliveryMark?](repeating: nil, count: DeliveryQueue.allCases.count)
    private var progress: DeliveryMark?
    /// Whether tasks have ended while there was no process, which the managers may not have been told of.
    private var hasMissedEnds = false

    /// Bytes have come: whether a progress closure is due.
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

    /// What a closure waits for that comes after the ends so far.
    func afterEnds(in line: DeliveryQueue) -> DeliveryMark? { line.after(ends[0], ends[1]) }
    /// What a closure waits for that comes after the ends and the progress so far.
    func afterAll(in line: DeliveryQueue) -> DeliveryMark? { line.after(ends[0], ends[1], progress) }

    mutating func missedEnd() { hasMissedEnds = true }

    /// Whether ends were missed; asked once for all of them.
    mutating func takeMissedEnds() -> Bool {
        defer { hasMissedEnds = false }
        return hasMissedEnds
    }
}
