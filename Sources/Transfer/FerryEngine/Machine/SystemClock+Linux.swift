import FerryCore
package import FerryRules
package import Foundation
import NIOCore

/// The clocks of this machine.
package struct SystemClock: MachineClock {
    package init() {}

    package var now: ContinuousClock.Instant { .now }
    package var wall: Date { Date() }

    package var active: ActiveTime.Instant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return ActiveTime.Instant(
            wall: Date(), boot: Self.boot, uptime: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    package var awake: UInt64 { NIODeadline.now().uptimeNanoseconds }

    package func sleep(until end: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: end, clock: .continuous)
    }

    private static let boot: String? =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)
}
