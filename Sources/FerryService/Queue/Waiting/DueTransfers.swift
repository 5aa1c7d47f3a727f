import FerryCore
import Foundation

/// Transfers whose time is over soon: they have alarms, and the others are found by a look into the journal.
struct DueTransfers: Sendable {
    private var horizon: DueHorizon
    private(set) var alarmed: Set<TransferID> = []
    /// Transfers whose alarms have rung while they were acted upon.
    private var afterTurns: Set<TransferID> = []

    /// - Parameter lookAhead: seconds that are looked up at once.
    init(lookAhead: Double) { horizon = DueHorizon(length: lookAhead) }

    /// Seconds from one look to the next.
    var interval: Double { horizon.interval }

    /// Seconds until the alarm of a transfer; nil if a look comes in time for it.
    ///
    /// - Parameters:
    ///   - due: what the journal says of it. The alarm may come too early by as much as the clock was set.
    ///   - exact: seconds until its time is over, where they are known.
    mutating func rest(until due: Date, exactly exact: Double?, at now: ActiveTime.Instant) -> Double? {
        let rest = horizon.rest(until: due, at: now)
        guard let exact else { return rest }
        return rest != nil || exact <= horizon.length ? max(0, exact) : nil
    }

    /// Notes that a transfer gets an alarm; false if it has one.
    mutating func begin(_ id: TransferID) -> Bool { alarmed.insert(id).inserted }

    /// Notes that the alarm of a transfer has rung.
    mutating func rang(_ id: TransferID, isBusy: Bool) {
        alarmed.remove(id)
        if isBusy { afterTurns.insert(id) }
    }

    /// Whether the alarm of a transfer has rung while it was acted upon; answers so once.
    mutating func takeAfterTurn(_ id: TransferID) -> Bool { afterTurns.remove(id) != nil }

    /// Looks further ahead, as ``DueHorizon/look(at:)`` does.
    mutating func look(at now: ActiveTime.Instant) -> (after: Date?, through: Date) { horizon.look(at: now) }
}
