// Ferry: FerryService
// The clocks of this machine.

import FerryCore
import Foundation

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
