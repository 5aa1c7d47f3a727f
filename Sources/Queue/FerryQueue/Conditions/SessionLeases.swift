import FerryCore

/// The leases of sessions: a transfer whose policy needs one runs only while its session's lease stands.
///
/// A session's client renews its lease for as long as it knows that nobody else performs the same transfers. If the
/// client dies or hangs, the lease ends by itself. Leases are not stored: after a restart none stands.
struct SessionLeases: Sendable {
    /// When each lease ends, in seconds since boot.
    private var ends: [SessionID: Double] = [:]
    /// Whether a transfer that needs a lease has been queued.
    private(set) var areNeeded = false

    /// Whether transfers with this key may run.
    func cover(_ key: QueueKey) -> Bool { !key.network.needsLease || ends[key.session] != nil }

    /// Registers that a transfer with this key waits or runs.
    mutating func depend(on key: QueueKey) {
        if key.network.needsLease { areNeeded = true }
    }

    func end(of session: SessionID) -> Double? { ends[session] }

    /// Extends a session's lease. Never shortens it: renewals may overtake each other on their way.
    ///
    /// - Returns: Whether the session had none.
    mutating func renew(_ session: SessionID, until end: Double) -> Bool {
        let known = ends[session]
        ends[session] = max(known ?? end, end)
        return known == nil
    }

    /// Removes the leases that are over.
    ///
    /// - Returns: Their sessions.
    mutating func expire(at uptime: Double) -> [SessionID] {
        guard !ends.isEmpty else { return [] }
        let over = ends.filter { $0.value <= uptime }.map(\.key)
        for session in over { ends[session] = nil }
        return over
    }
}
