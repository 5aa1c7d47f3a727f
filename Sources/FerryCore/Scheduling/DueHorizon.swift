package import Foundation

/// How far ahead it is known whose time is over.
///
/// The journal says of each transfer when its time is over, by the wall clock. A look finds those of the next `length`
/// seconds, which are given alarms, and so is whoever comes to wait and is among them; the next look is made when half of
/// that has passed. Alarms go by the machine's own clock, and only the wall clock can be set:
/// - Set forward, it brings transfers in sight whose time is not over for long. Whoever hears an alarm looks at the exact time.
/// - Set back, it would bring in sight too late what was stored before. So a look goes by the most that the wall clock has
///   been ahead of the other one. That is known from the start of this process on: what an earlier one stored, before the
///   clock was set back and in the same boot, may come in sight too late by as much.
package struct DueHorizon: Sendable {
    /// Seconds that are looked up at once.
    package let length: Double
    /// Seconds that the wall clock is ahead of the other one, at most.
    private var lead = -Double.infinity
    /// All whose time is over by then have alarms.
    private var through: Date?

    package init(length: Double) { self.length = length }

    /// Seconds from one look to the next.
    package var interval: Double { length / 2 }

    /// Looks further ahead.
    ///
    /// - Returns: the moments whose transfers are to be given alarms, with those of all earlier ones if the first is nil.
    package mutating func look(at now: ActiveTime.Instant) -> (after: Date?, through: Date) {
        note(now)
        let old = through
        let new = Date(timeIntervalSince1970: now.uptime + lead + length)
        through = max(old ?? new, new)
        return (old, max(old ?? new, new))
    }

    /// Seconds until the alarm of a transfer that comes to wait; nil if a look comes in time for it.
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
