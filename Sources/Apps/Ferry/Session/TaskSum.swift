import FerryCore
import FerryURLSession
import Synchronization

/// The total received and expected bytes of some tasks, and their speed.
///
/// An unfinished task of unknown size counts as the mean of the known sizes, but as more than its received bytes.
struct TaskSum: Hashable, Sendable {
    private(set) var received: Int64 = 0
    /// The whole bytes. -1 while tasks are unfinished and no size is known.
    private(set) var total: Int64 = 0
    private(set) var speed: Int64 = 0
    /// How often tasks have restarted from byte 0.
    private(set) var restarts = 0

    init(_ tasks: [DownloadTask], at now: ContinuousClock.Instant = .now) {
        var sizes: (sum: Int64, count: Int64) = (0, 0)
        var unknown: [Int64] = []
        for task in tasks {
            let (has, size, speed, restarts) = task.state.withLock { task in
                (task.bytes.received, task.total, task.speed(now: now), task.bytes.startedOver)
            }
            // Servers may state any length.
            received = received.addingSaturated(has)
            self.speed = self.speed.addingSaturated(speed)
            self.restarts += restarts
            if size >= 0 {
                sizes = (sizes.sum.addingSaturated(size), sizes.count + 1)
            } else {
                unknown.append(has)
            }
        }
        total = sizes.sum
        guard !unknown.isEmpty else { return }
        guard sizes.count > 0 else {
            total = -1
            return
        }
        let mean = sizes.sum.dividedRoundingUp(by: sizes.count)
        for has in unknown { total = total.addingSaturated(max(mean, has.addingSaturated(1))) }
    }

    /// Whole seconds until the end at the current speed. 0 if unknown.
    var timeRemaining: Int64 {
        guard speed > 0, total > received else { return 0 }
        return (total - received).dividedRoundingUp(by: speed)
    }
}

/// Keeps the fraction of the total progress from going back when sizes turn out larger than assumed
/// (docs/behaviour/session-manager.md#K7).
struct SteadyFraction: Hashable, Sendable {
    private var fraction = 0.0
    private var received: Int64 = 0
    private var restarts = 0

    /// Forgets the fraction: tasks were added or removed.
    mutating func reset() { fraction = 0 }

    /// Returns the total to show: the sum's own, or a smaller one as long as the received bytes are a smaller part of it
    /// than was shown before.
    mutating func total(of sum: TaskSum) -> Int64 {
        if sum.restarts != restarts || sum.received < received { fraction = 0 }
        (received, restarts) = (sum.received, sum.restarts)
        guard sum.total > 0, sum.received > 0, sum.received < sum.total else { return sum.total }
        let own = Double(sum.received) / Double(sum.total)
        guard own < fraction else {
            fraction = own
            return sum.total
        }
        let shown = Int64((Double(sum.received) / fraction).rounded(.down))
        return min(sum.total, max(shown, sum.received + 1))
    }
}
