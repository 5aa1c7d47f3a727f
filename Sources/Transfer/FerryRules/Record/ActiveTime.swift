import FerryCore
package import FerryFoundation

/// The time since a transfer's first start, without suspended periods.
///
/// Within one boot the monotonic clock counts, so setting the wall clock has no effect.
package struct ActiveTime: Hashable, Codable, Sendable {
    /// A moment by the wall clock and by the monotonic clock of the boot.
    package struct Instant: Hashable, Codable, Sendable {
        package var wall: Date
        /// Id of the boot, or nil if unknown.
        package var boot: String?
        /// Seconds since boot, including sleep.
        package var uptime: Double

        package init(wall: Date, boot: String?, uptime: Double) {
            self.wall = wall
            self.boot = boot
            self.uptime = uptime
        }

        /// Seconds since an earlier instant, never negative.
        package func seconds(since start: Instant) -> Double {
            max(0, boot != nil && boot == start.boot ? uptime - start.uptime : wall.timeIntervalSince(start.wall))
        }
    }

    /// Seconds up to the last suspension.
    package private(set) var spent: Double = 0
    /// The last start, or nil while suspended.
    package private(set) var start: Instant?

    package init() {}

    package init(spent: Double, start: Instant?) {
        self.spent = spent
        self.start = start
    }

    /// Active seconds at an instant.
    package func seconds(at now: Instant) -> Double { spent + (start.map { now.seconds(since: $0) } ?? 0) }

    /// The date when so many active seconds have passed, by the wall clock at the last start, or nil while suspended.
    package func end(of seconds: Double) -> Date? { start?.wall.addingTimeInterval(seconds - spent) }

    package mutating func begin(at now: Instant) {
        if start == nil { start = now }
    }

    package mutating func suspend(at now: Instant) {
        spent = seconds(at: now)
        start = nil
    }
}

/// The deadline and resource timeout of a transfer, and its active time.
package struct TimeBounds: Hashable, Sendable {
    package let deadline: Date?
    /// Resource timeout in seconds.
    package let resourceTimeout: Double?
    package let active: ActiveTime

    package init(deadline: Date?, resourceTimeout: Double?, active: ActiveTime) {
        self.deadline = deadline
        self.resourceTimeout = resourceTimeout
        self.active = active
    }

    /// The date when the time is over, by the wall clock at the last start, or nil if unbounded.
    package var due: Date? { Self.earlier(deadline, resourceTimeout.flatMap(active.end)) }

    /// Remaining seconds, negative afterwards, or nil if unbounded.
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
        TimeBounds(deadline: request.timing.deadline, resourceTimeout: request.timing.resourceTimeout, active: active)
    }

    /// The date when the time of an eligible transfer is over, or nil for others.
    package var due: Date? { isEligible ? timeBounds.due : nil }
}
