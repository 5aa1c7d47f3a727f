import FerryCore
import FerryFoundation

/// The time that a transfer has spent without progress since its first failure.
///
/// The sum of attempts and retry delays. Other waits, such as for a network, power, a slot, a disk, a date or the user,
/// are never added.
package struct StalledTime: Hashable, Codable, Sendable {
    /// A retry delay.
    private struct Delay: Hashable, Codable {
        let start: Date
        let seconds: Double
    }

    /// Seconds of ended attempts and delays.
    package private(set) var seconds = 0.0
    /// The delay before the next attempt, if the last attempt failed.
    private var delay: Delay?

    package init() {}

    /// Starts the delay after a failure.
    mutating func delays(for seconds: Double, at now: Date) { delay = Delay(start: now, seconds: seconds) }

    /// Adds an attempt and the delay before it, as far as it was waited. Other waits after the delay do not count.
    mutating func tried(for tried: Double, until now: Date) {
        let tried = max(0, tried)
        if let delay {
            let elapsed = now.timeIntervalSince(delay.start) - tried
            seconds += max(0, min(elapsed, delay.seconds))
        }
        delay = nil
        seconds += tried
    }

    /// Clamps the seconds to the range of `giveUpAfter`, whatever the journal contained.
    mutating func clampNumbers() {
        OutOfRangePolicy<Never>.clamp.apply(.giveUpAfter, to: &seconds)
        if let delay, !SettingRange<Double>.delay.contains(delay.seconds) { self.delay = nil }
    }
}
