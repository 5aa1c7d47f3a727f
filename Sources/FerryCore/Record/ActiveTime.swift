// Ferry: FerryCore
// How long a transfer has been under way.

package import Foundation

/// The time since a transfer was first started, without the time in which it was suspended.
///
/// Within one boot the machine's own clock counts, so that a wall clock that is set has no effect.
package struct ActiveTime: Hashable, Codable, Sendable {
    /// A moment by the wall clock and by the clock that counts from the boot.
    package struct Instant: Hashable, Codable, Sendable {
        package var wall: Date
        /// The boot's own name; nil if the machine tells none.
        package var boot: String?
        /// Seconds since the boot, sleep included.
        package var uptime: Double

        package init(wall: Date, boot: String?, uptime: Double) {
            self.wall = wall
            self.boot = boot
            self.uptime = uptime
        }

        /// Seconds since an earlier moment, never negative.
        package func seconds(since start: Instant) -> Double {
            max(0, boot != nil && boot == start.boot ? uptime - start.uptime : wall.timeIntervalSince(start.wall))
        }
    }

    /// Seconds up to the last suspension.
    private var spent: Double = 0
    /// When it was started last; nil while it is suspended.
    private var start: Instant?

    package init() {}

    /// Seconds until a moment.
    package func seconds(at now: Instant) -> Double { spent + (start.map { now.seconds(since: $0) } ?? 0) }

    /// When so many seconds are over, by the wall clock of the last start; nil while it is suspended.
    package func end(of seconds: Double) -> Date? { start?.wall.addingTimeInterval(seconds - spent) }

    package mutating func begin(at now: Instant) {
        if start == nil { start = now }
    }

    package mutating func suspend(at now: Instant) {
        spent = seconds(at: now)
        start = nil
    }
}
