import FerryCore
import Foundation

/// A point in time on the machine's clocks. Passed to the queue with each event.
struct Moment: Sendable {
    /// Time on a clock that counts sleep and ignores wall clock changes. Used for alarms.
    var clock: ContinuousClock.Instant
    /// Time on the wall clock and on the clock that counts from boot.
    var active: ActiveTime.Instant

    var wall: Date { active.wall }

    static var now: Moment { Moment(clock: .now, active: .now) }
}

extension ActiveTime.Instant {
    /// The current moment.
    static var now: Self {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Self(wall: Date(), boot: boot, uptime: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    private static let boot: String? =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)
}
