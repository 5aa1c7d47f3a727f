import FerryURLSession

/// The number of a session's tasks in each state, and the resulting status of the manager.
struct StatusCounts: Hashable, Sendable {
    private(set) var waiting = 0
    private(set) var running = 0
    private(set) var suspended = 0
    private(set) var failed = 0
    private(set) var succeeded = 0

    var unfinished: Int { waiting + running }
    /// Number of tasks that have not succeeded.
    var open: Int { waiting + running + suspended + failed }

    mutating func add(_ status: Status) { count(status, 1) }

    mutating func remove(_ status: Status) { count(status, -1) }

    private mutating func count(_ status: Status, _ number: Int) {
        switch status {
        case .waiting: waiting += number
        case .running: running += number
        case .suspended: suspended += number
        case .failed: failed += number
        case .succeeded: succeeded += number
        case .canceled, .removed, .willSuspend, .willCancel, .willRemove: break
        }
    }

    /// The status of a manager with these tasks, or nil without tasks.
    var status: Status? {
        if unfinished > 0 { return .running }
        if suspended > 0 { return .suspended }
        if failed > 0 { return .failed }
        return succeeded > 0 ? .succeeded : nil
    }
}

/// The status of a session's managers, determined by their tasks and by calls that end all of them
/// (docs/behaviour/session-manager.md#S8).
struct ManagerStatus: Hashable, Sendable {
    private(set) var current = Status.waiting
    /// Whether the daemon has listed the tasks.
    private var isListed = false
    /// The status from a call that ends all tasks: `pending` while it is in progress, `total` after it.
    private var pending: Status?
    private var total: Status?
    /// The final status of the last removed task.
    private var lastDeparture: Status?

    /// Updates the counts.
    ///
    /// - Returns: The new status if it has changed.
    mutating func update(_ counts: StatusCounts) -> Status? {
        var status = counts.status ?? lastDeparture ?? .waiting
        if let departure = pending ?? total, counts.open == 0 { status = departure }
        guard status != current else { return nil }
        current = status
        return status
    }

    /// Processes the daemon's list. The first list is not a change.
    mutating func listed(_ counts: StatusCounts) -> Status? {
        if isListed { return update(counts) }
        isListed = true
        current = counts.status ?? .waiting
        return nil
    }

    /// Records that a task was added or resumed, which makes the last action on all tasks obsolete.
    mutating func taskCame() { total = nil }

    mutating func taskWent(as departure: Status) { lastDeparture = departure }

    /// Records that a call begins to end all tasks.
    mutating func beganToEndAll(as departure: Status) { pending = departure }

    /// Records that the call that ends all tasks has finished.
    ///
    /// - Parameter isSome: Whether it affected any task.
    mutating func endedAll(as departure: Status, isSome: Bool, _ counts: StatusCounts) {
        pending = nil
        // Tasks created meanwhile take precedence.
        total = isSome && counts.open == 0 ? departure : nil
    }
}
