import FerryCore
import FerryEngine
import Foundation

/// A point in time on the machine's clocks. Passed to the queue with each event.
struct Moment: Sendable {
    /// Time on a clock that counts sleep and ignores wall clock changes. Used for alarms.
    var clock: ContinuousClock.Instant
    /// Time on the wall clock and on the clock that counts from boot.
    var active: ActiveTime.Instant

    var wall: Date { active.wall }

    init(clock: ContinuousClock.Instant, active: ActiveTime.Instant) {
        self.clock = clock
        self.active = active
    }

    /// The current moment.
    init(_ clock: any MachineClock) { self.init(clock: clock.now, active: clock.active) }
}
