import FerryCore
package import FerryRules
package import FerryFoundation

/// A point in time on the machine's clocks. Passed to the queue with each event.
package struct Moment: Sendable {
    /// Time on a clock that counts sleep and ignores wall clock changes. Used for alarms.
    package var clock: ContinuousClock.Instant
    /// Time on the wall clock and on the clock that counts from boot.
    package var active: ActiveTime.Instant

    package var wall: Date { active.wall }

    package init(clock: ContinuousClock.Instant, active: ActiveTime.Instant) {
        self.clock = clock
        self.active = active
    }
}
