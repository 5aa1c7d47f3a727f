// Ferry: FerryCore
// How long events are kept.

package import Foundation

/// How long durable events are kept that no client has acknowledged; `docs/control-api.md#kept-events` says it to clients.
package struct EventRetention: Hashable, Sendable {
    /// Seconds for which every event waits for its acknowledgement.
    package var lifetime = 30.0 * 86_400
    /// Events that are kept of a session without an app to acknowledge them: commands come and go, and none of them
    /// speaks for all.
    package var mostUnacknowledged = 10_000
    /// Seconds for which such a session's events outlive their transfer, so that a listener that is behind still reads how
    /// it ended.
    package var afterRemoval = 3600.0

    package init() {}

    /// The moments and counts that hold for one session.
    ///
    /// - Parameter isAcknowledged: whether an app is registered for the session: it takes its events when it comes back.
    package func limits(isAcknowledged: Bool, now: Date) -> Limits {
        Limits(
            oldest: now.addingTimeInterval(-lifetime), most: isAcknowledged ? nil : mostUnacknowledged,
            oldestOfRemoved: isAcknowledged ? nil : now.addingTimeInterval(-afterRemoval))
    }

    /// What is kept of one session's events.
    package struct Limits: Hashable, Sendable {
        /// Earlier ones go.
        package let oldest: Date
        /// Only so many of the newest stay; nil is all.
        package let most: Int?
        /// Earlier ones of transfers that are gone go, but the event that says so; nil keeps them.
        package let oldestOfRemoved: Date?
    }
}
