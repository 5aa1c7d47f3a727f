import FerryFoundation

/// The time that a transfer has spent in vain since its first failure without progress.
///
/// Made of tries and of the delays between them. Any other wait (for a network, power, a slot, a disk, a date, the user) is
/// never added, so nothing has to take it out again.
package struct StalledTime: Hashable, Codable, Sendable {
    /// The wait that a failure brings.
    private struct Delay: Hashable, Codable {
        let start: Date
        let seconds: Double
    }

    /// Seconds of tries and of delays that have ended.
    package private(set) var seconds = 0.0
    /// The delay that the next attempt ends, if the last attempt has brought one.
    private var delay: Delay?

    package init() {}

    /// Begins the delay after a failure.
    mutating func delays(for seconds: Double, at now: Date) { delay = Delay(start: now, seconds: seconds) }

    /// Adds an attempt and the delay before it: as much of the delay as was waited, and no wait that followed it.
    mutating func tried(for tried: Double, until now: Date) {
        let tried = max(0, tried)
        if let delay {
            let elapsed = now.timeIntervalSince(delay.start) - tried
            seconds += max(0, min(elapsed, delay.seconds))
        }
        delay = nil
        seconds += tried
    }

    /// Brings the seconds into the range of `giveUpAfter`, whatever the journal had.
    mutating func clampNumbers() {
        OutOfRangePolicy<Never>.clamp.apply(.giveUpAfter, to: &seconds)
        if let delay, !SettingRange<Double>.delay.contains(delay.seconds) { self.delay = nil }
    }
}
