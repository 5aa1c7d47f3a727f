// Ferry: FerryCore
// What bounds the time of a transfer.

package import Foundation

/// What bounds the time of a transfer, and how much of it has passed.
package struct TimeBounds: Hashable, Sendable {
    package let deadline: Date?
    /// Seconds that it may be under way.
    package let resourceTimeout: Double?
    package let active: ActiveTime

    package init(deadline: Date?, resourceTimeout: Double?, active: ActiveTime) {
        self.deadline = deadline
        self.resourceTimeout = resourceTimeout
        self.active = active
    }

    /// When its time is over, by the wall clock of the machine at its last start; nil if nothing bounds it.
    package var due: Date? { Self.earlier(deadline, resourceTimeout.flatMap(active.end)) }

    /// Seconds until its time is over, negative if it is; nil if nothing bounds it.
    package func rest(at now: ActiveTime.Instant) -> Double? {
        Self.earlier(
            deadline?.timeIntervalSince(now.wall),
            resourceTimeout.flatMap { active.end(of: $0) == nil ? nil : $0 - active.seconds(at: now) })
    }

    private static func earlier<Moment: Comparable>(_ one: Moment?, _ other: Moment?) -> Moment? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

extension TransferRecord {
    package var timeBounds: TimeBounds {
        TimeBounds(deadline: request.deadline, resourceTimeout: request.resourceTimeout, active: active)
    }

    /// When the time of a transfer that may run is over, by the wall clock; nil for all others.
    package var due: Date? { isEligible ? timeBounds.due : nil }
}
