import FerryCore
import Foundation

/// A span of time that passes only while it runs.
struct RunningTime: Hashable, Sendable {
    private var rest: Duration
    private var since: ContinuousClock.Instant?

    init(_ whole: Duration) { rest = whole }

    /// Lets the time run.
    ///
    /// - Returns: the time that is left.
    mutating func start(_ now: ContinuousClock.Instant) -> Duration {
        stop(now)
        since = now
        return rest
    }

    mutating func stop(_ now: ContinuousClock.Instant) {
        if let since { rest -= now - since }
        since = nil
    }
}

/// The time in which a task has to end; it does not pass while the task is suspended
/// (docs/behaviour/url-session.md#22).
struct LoadDeadline {
    private var time: RunningTime?
    private var timer: Task<Void, any Error>?

    /// - Parameter seconds: nil is no limit.
    init(seconds: Double?) { time = seconds.map { RunningTime(.wait(seconds: $0)) } }

    /// Lets the time pass.
    mutating func run(_ expired: @escaping @Sendable () -> Void) {
        guard let rest = time?.start(.now) else { return }
        timer?.cancel()
        timer = Task(name: "resource timeout of a load") {
            try await Task.sleep(for: rest)
            expired()
        }
    }

    mutating func pause() {
        time?.stop(.now)
        timer?.cancel()
        timer = nil
    }
}
