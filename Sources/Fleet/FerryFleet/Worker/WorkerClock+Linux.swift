import Glibc

/// The agent's clock: seconds since the worker started. Runs on while the machine sleeps.
struct WorkerClock: Sendable {
    private let start = Self.uptime

    var now: Double { Self.uptime - start }

    /// Converts a time of the agent to seconds since boot, which all processes of the machine share.
    func uptime(at time: Double) -> Double { start + time }

    /// Seconds since boot, sleep included (clock_gettime(2), CLOCK_BOOTTIME).
    static var uptime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
