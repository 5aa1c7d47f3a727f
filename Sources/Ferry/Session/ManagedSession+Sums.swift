// Ferry: Ferry
// What the tasks of a session come to together.

import FerryURLSession
import Foundation
import Synchronization

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
