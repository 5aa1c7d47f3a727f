import FerryCore
import Foundation

/// A moment, as the clocks of the machine show it: it comes to the queue with each input.
struct Moment: Sendable {
    /// By a clock that counts sleep and ignores changes of the wall clock; alarms go by it.
    var clock: ContinuousClock.Instant
    /// By the wall clock, and by the clock that counts from the boot.
    var active: ActiveTime.Instant

    var wall: Date { active.wall }

    static var now: Moment { Moment(clock: .now, active: .now) }
}

extension ActiveTime.Instant {
    /// This moment, by the wall clock and by the clock that counts from the boot.
    static var now: Self {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Self(wall: Date(), boot: boot, uptime: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    private static let boot: String? =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)
}
