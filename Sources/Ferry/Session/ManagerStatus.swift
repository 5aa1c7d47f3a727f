import FerryURLSession

/// How many tasks of a session are in each state, and what that makes of the manager.
struct StatusCounts: Hashable, Sendable {
    private(set) var waiting = 0
    private(set) var running = 0
    private(set) var suspended = 0
    private(set) var failed = 0
    private(set) var succeeded = 0

    var unfinished: Int { waiting + running }
    /// Tasks that have not succeeded.
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

    /// The state of a manager with these tasks; nil without tasks.
    var status: Status? {
        if unfinished > 0 { return .running }
        if suspended > 0 { return .suspended }
        if failed > 0 { return .failed }
        return succeeded > 0 ? .succeeded : nil
    }
}

/// The state of a session's managers, which their tasks and the calls that end all of them make
/// (docs/behaviour/session-manager.md#S8).
struct ManagerStatus: Hashable, Sendable {
    private(set) var current = Status.waiting
    /// Whether the daemon has said which tasks there are.
    private var isListed = false
    /// What a call that ends all tasks makes of it: while it is carried out, and after it.
    private var pending: Status?
    private var total: Status?
    /// What became of the last task that went.
    private var lastDeparture: Status?

    /// Takes in which tasks there are.
    ///
    /// - Returns: the new state if it has changed.
    mutating func update(_ counts: StatusCounts) -> Status? {
        var status = counts.status ?? lastDeparture ?? .waiting
        if let departure = pending ?? total, counts.open == 0 { status = departure }
        guard status != current else { return nil }
        current = status
        return status
    }

    /// Takes in which tasks the daemon has; the first time that is no change.
    mutating func listed(_ counts: StatusCounts) -> Status? {
        if isListed { return update(counts) }
        isListed = true
        current = counts.status ?? .waiting
        return nil
    }

    /// A task has come, or goes on: what was done to all tasks is not the last word any more.
    mutating func taskCame() { total = nil }

    mutating func taskWent(as departure: Status) { lastDeparture = departure }

    /// A call begins to end all tasks.
    mutating func beganToEndAll(as departure: Status) { pending = departure }

    /// The call that ends all tasks was answered.
    ///
    /// - Parameter isSome: whether it ended any task.
    mutating func endedAll(as departure: Status, isSome: Bool, _ counts: StatusCounts) {
        pending = nil
        // Tasks that were made meanwhile decide it in its place.
        total = isSome && counts.open == 0 ? departure : nil
    }
}
