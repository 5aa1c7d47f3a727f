import FerryURLSession
import Foundation
import Synchronization

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

extension ManagedSession {
    /// Received and expected bytes of all tasks; of one whose size is not known, what it has received counts as its size.
    var progress: Progress {
        let sum = Self.sum(of: tasks)
        return state.withLock { state in
            let progress = state.progress ?? Progress(totalUnitCount: sum.total)
            state.progress = progress
            if progress.totalUnitCount != sum.total { progress.totalUnitCount = sum.total }
            progress.completedUnitCount = sum.received
            return progress
        }
    }

    static func sum(of tasks: [DownloadTask]) -> (received: Int64, total: Int64) {
        var received: Int64 = 0
        var total: Int64 = 0
        for task in tasks {
            let (has, wants) = task.state.withLock { ($0.received, $0.total) }
            received += has
            total += max(wants, has)
        }
        return (received, total)
    }

    var speed: Int64 { Self.speed(of: tasks, at: .now) }

    static func speed(of tasks: [DownloadTask], at now: ContinuousClock.Instant) -> Int64 {
        tasks.reduce(0) { sum, task in sum + task.state.withLock { $0.speed(now: now) } }
    }

    /// Whole seconds until the end at this speed; 0 if that is not known.
    var timeRemaining: Int64 {
        let speed = speed
        let sum = Self.sum(of: tasks)
        guard speed > 0, sum.total > sum.received else { return 0 }
        return (sum.total - sum.received + speed - 1) / speed
    }
}
