package import FerryFoundation
package import FerryRules

/// The window of time for which due transfers are known.
///
/// The journal stores each transfer's due date by the wall clock. A scan finds the transfers due in the next `length`
/// seconds. They, and any transfer enqueued later that is due within the window, get an alarm. The next scan happens
/// when half of the window has passed. Alarms use the monotonic clock, and only the wall clock can be set:
/// - Set forward, it includes transfers that are not due for a long time. The exact time is compared when an alarm
///   fires.
/// - Set back, it would include earlier transfers too late. So a scan uses the largest lead that the wall clock has had
///   over the monotonic clock. The lead is known from the start of this process: a transfer stored by an earlier
///   process of the same boot, before the clock was set back, may be found too late by as much.
package struct DueHorizon: Sendable {
    /// Length of the window in seconds.
    package let length: Double
    /// Largest lead of the wall clock over the monotonic clock, in seconds.
    private var lead = -Double.infinity
    /// All transfers due by this date have alarms.
    private var through: Date?

    package init(length: Double) { self.length = length }

    /// Seconds between scans.
    package var interval: Double { length / 2 }

    /// Advances the window.
    ///
    /// - Returns: The dates between which due transfers get alarms. Without the first, all that are due by the last.
    package mutating func advance(at now: ActiveTime.Instant) -> (after: Date?, through: Date) {
        note(now)
        let old = through
        let new = Date(timeIntervalSince1970: now.uptime + lead + length)
        through = max(old ?? new, new)
        return (old, max(old ?? new, new))
    }

    /// Seconds until the alarm of a transfer being enqueued, or nil if a later scan finds it in time.
    ///
    /// - Parameter due: The date in the journal. The alarm may fire too early by as much as the clock was set.
    package mutating func rest(until due: Date, at now: ActiveTime.Instant) -> Double? {
        note(now)
        let rest = due.timeIntervalSince1970 - now.uptime - lead
        // The journal stores whole milliseconds.
        let isPassed = through.map { due < $0.addingTimeInterval(1) } ?? false
        return rest <= length || isPassed ? max(0, rest) : nil
    }

    private mutating func note(_ now: ActiveTime.Instant) {
        lead = max(lead, now.wall.timeIntervalSince1970 - now.uptime)
    }
}
