package import FerryFoundation

/// The time since a transfer was first started, without the time in which it was suspended.
///
/// Within one boot the machine's own clock counts, so that a wall clock that is set has no effect.
package struct ActiveTime: Hashable, Codable, Sendable {
    /// A moment by the wall clock and by the clock that counts from the boot.
    package struct Instant: Hashable, Codable, Sendable {
        package var wall: Date
        /// The boot's own name; nil if the machine tells none.
        package var boot: String?
        /// Seconds since the boot, sleep included.
        package var uptime: Double

        package init(wall: Date, boot: String?, uptime: Double) {
            self.wall = wall
            self.boot = boot
            self.uptime = uptime
        }

        /// Seconds since an earlier moment, never negative.
        package func seconds(since start: Instant) -> Double {
            max(0, boot != nil && boot == start.boot ? uptime - start.uptime : wall.timeIntervalSince(start.wall))
        }
    }

    /// Seconds up to the last suspension.
    package private(set) var spent: Double = 0
    /// When it was started last; nil while it is suspended.
    package private(set) var start: Instant?

    package init() {}

    package init(spent: Double, start: Instant?) {
        self.spent = spent
        self.start = start
    }

    /// Seconds until a moment.
    package func seconds(at now: Instant) -> Double { spent + (start.map { now.seconds(since: $0) } ?? 0) }

    /// When so many seconds have passed, by the wall clock of the last start; nil while it is suspended.
    package func end(of seconds: Double) -> Date? { start?.wall.addingTimeInterval(seconds - spent) }

    package mutating func begin(at now: Instant) {
        if start == nil { start = now }
    }

    package mutating func suspend(at now: Instant) {
        spent = seconds(at: now)
        start = nil
    }
}

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

    /// When its time ends, by the wall clock of the machine at its last start; nil if nothing bounds it.
    package var due: Date? { Self.earlier(deadline, resourceTimeout.flatMap(active.end)) }

    /// Seconds until its time ends, negative once it has ended; nil if nothing bounds it.
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

    /// When the time of a transfer that may run ends, by the wall clock; nil for all others.
    package var due: Date? { isEligible ? timeBounds.due : nil }
}
