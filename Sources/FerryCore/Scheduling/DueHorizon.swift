package import FerryFoundation

/// How far ahead it is known which transfers are due: their time ends then.
///
/// The journal says of each transfer when it is due, by the wall clock. A look finds the transfers that are due in the next
/// `length` seconds. They, and any transfer queued later that falls into this window, get an alarm; the next look is made when
/// half of the window has passed. Alarms go by the machine's own clock, and only the wall clock can be set:
/// - Set forward, it brings transfers in sight that are not due for a long time. The exact time is compared when an alarm rings.
/// - Set back, it would bring transfers in sight too late that were stored before. So a look goes by the most that the wall
///   clock has been ahead of the other one. That is known from the start of this process on: a transfer that an earlier process
///   stored, before the clock was set back and in the same boot, may come in sight too late by as much.
package struct DueHorizon: Sendable {
    /// Seconds that are looked up at once.
    package let length: Double
    /// Seconds that the wall clock is ahead of the other one, at most.
    private var lead = -Double.infinity
    /// All transfers that are due by then have alarms.
    private var through: Date?

    package init(length: Double) { self.length = length }

    /// Seconds from one look to the next.
    package var interval: Double { length / 2 }

    /// Looks further ahead.
    ///
    /// - Returns: the moments between which transfers that are due get alarms; without the first, all that are due by the last.
    package mutating func look(at now: ActiveTime.Instant) -> (after: Date?, through: Date) {
        note(now)
        let old = through
        let new = Date(timeIntervalSince1970: now.uptime + lead + length)
        through = max(old ?? new, new)
        return (old, max(old ?? new, new))
    }

    /// Seconds until the alarm of a transfer that is queued; nil if a look comes in time for it.
    ///
    /// - Parameter due: what the journal says of it. The alarm may come too early by as much as the clock was set.
    package mutating func rest(until due: Date, at now: ActiveTime.Instant) -> Double? {
        note(now)
        let rest = due.timeIntervalSince1970 - now.uptime - lead
        // The journal has whole milliseconds.
        let isPassed = through.map { due < $0.addingTimeInterval(1) } ?? false
        return rest <= length || isPassed ? max(0, rest) : nil
    }

    private mutating func note(_ now: ActiveTime.Instant) {
        lead = max(lead, now.wall.timeIntervalSince1970 - now.uptime)
    }
}
