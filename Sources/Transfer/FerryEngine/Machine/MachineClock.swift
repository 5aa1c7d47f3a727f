import FerryCore
package import FerryRules
package import Foundation

/// The clocks of a machine. A simulation has its own, on which time passes as it chooses.
package protocol MachineClock: Sendable {
    /// The time on a clock that counts sleep and ignores changes of the wall clock.
    var now: ContinuousClock.Instant { get }
    /// The time on the wall clock.
    var wall: Date { get }
    /// The time on the wall clock and on the clock that counts from boot.
    var active: ActiveTime.Instant { get }
    /// The time the machine has been awake since its boot, in nanoseconds.
    var awake: UInt64 { get }
    /// Suspends the task until a point in time.
    ///
    /// - Throws: `CancellationError` if the task is canceled before.
    func sleep(until end: ContinuousClock.Instant) async throws
}

extension MachineClock {
    /// Suspends the task for a duration.
    ///
    /// - Throws: `CancellationError` if the task is canceled before.
    package func sleep(for duration: Duration) async throws { try await sleep(until: now + duration) }
}
