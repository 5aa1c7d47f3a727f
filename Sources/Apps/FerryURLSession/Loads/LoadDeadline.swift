import FerryCore
import Foundation

/// A stopwatch with a limit. Time passes only while it runs.
struct RunningTime: Hashable, Sendable {
    private var rest: Duration
    private var since: ContinuousClock.Instant?

    init(_ whole: Duration) { rest = whole }

    /// Starts the time.
    ///
    /// - Returns: The remaining time.
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

/// A task's deadline. Time does not pass while the task is suspended (docs/behaviour/url-session.md#22).
struct LoadDeadline {
    private var time: RunningTime?
    private var timer: Task<Void, any Error>?

    /// - Parameter seconds: The limit; nil is no limit.
    init(seconds: Double?) { time = seconds.map { RunningTime(.wait(seconds: $0)) } }

    /// Starts the time.
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
