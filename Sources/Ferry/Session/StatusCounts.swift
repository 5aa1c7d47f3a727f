// Ferry: Ferry
// How many tasks are in each state.

/// How many tasks of a session are in each state, and what that makes of the manager.
struct StatusCounts: Hashable, Sendable {
    private(set) var waiting = 0
    private(set) var running = 0
    private(set) var suspended = 0
    private(set) var failed = 0
    private(set) var succeeded = 0

    var unfinished: Int { waiting + running }
    /// Those that have not succeeded.
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
