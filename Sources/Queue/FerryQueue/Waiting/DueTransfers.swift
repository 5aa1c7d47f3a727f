import FerryCore
import FerryRules
import FerryFoundation

/// Transfers with deadlines in the near future. They have alarms. A later journal look-ahead finds the others.
struct DueTransfers: Sendable {
    private var horizon: DueHorizon
    private(set) var alarmed: Set<TransferID> = []

    /// - Parameter lookAhead: How far ahead deadlines are loaded, in seconds.
    init(lookAhead: Double) { horizon = DueHorizon(length: lookAhead) }

    /// Seconds between look-aheads.
    var interval: Double { horizon.interval }

    /// Returns the seconds until a transfer's alarm, or `nil` if a later look-ahead finds it in time.
    ///
    /// - Parameters:
    ///   - due: The deadline in the journal. After a change of the wall clock, the alarm may go off too early by that
    ///     change.
    ///   - exact: The exact seconds until the deadline, if known.
    mutating func rest(until due: Date, exactly exact: Double?, at now: ActiveTime.Instant) -> Double? {
        let rest = horizon.rest(until: due, at: now)
        guard let exact else { return rest }
        return rest != nil || exact <= horizon.length ? max(0, exact) : nil
    }

    /// Marks a transfer as having an alarm. Returns false if it already has one.
    mutating func begin(_ id: TransferID) -> Bool { alarmed.insert(id).inserted }

    /// Records that a transfer's alarm went off.
    mutating func rang(_ id: TransferID) { alarmed.remove(id) }

    /// Extends the horizon, as ``DueHorizon/look(at:)`` does.
    mutating func advance(at now: ActiveTime.Instant) -> (after: Date?, through: Date) { horizon.advance(at: now) }
}
