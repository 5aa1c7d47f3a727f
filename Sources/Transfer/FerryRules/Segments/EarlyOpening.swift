/// The number of connections opened before the first response shows whether several may share the file.
///
/// Each saves its first part a handshake. They are opened only if the user gave a number, and if nothing known so far
/// rules them out.
package struct EarlyOpening: Hashable, Sendable {
    /// The user's number of connections.
    package var wanted: Int?
    /// Missing bytes, if known.
    package var missing: Int64?
    /// Whether responses to this kind of request can be shared by several connections.
    package var isSharable: Bool
    /// Whether the last early connections to the origin were not needed.
    package var wasUnused: Bool

    package init(wanted: Int?, missing: Int64? = nil, isSharable: Bool = true, wasUnused: Bool = false) {
        self.wanted = wanted
        self.missing = missing
        self.isSharable = isSharable
        self.wasUnused = wasUnused
    }

    /// Number of connections to open beside that of the first request.
    package var count: Int {
        guard let wanted, isSharable, !wasUnused, missing ?? .max >= SegmentRule.worthSharing else { return 0 }
        return max(0, wanted - 1)
    }
}

/// The number of connections that a host accepts, learned from refusals (docs/behaviour/transfers.md#S10).
package struct HostAllowance: Hashable, Sendable {
    private static let hold = 600.0
    private static let step = 120.0

    private let learned: Int
    /// Time of the refusal, in seconds of a monotonic clock.
    private let since: Double

    /// - Parameters:
    ///   - active: Number of connections at the refusal, including the refused one. The host is assumed to accept half
    ///     of them,
    ///   - receiving: or as many as received something if fewer, and at least one.
    package init(active: Int, receiving: Int, now: Double) {
        learned = max(1, min(active / 2, receiving))
        since = now
    }

    /// Number of connections to try: for 10 min the learned number, then one more every 2 min.
    package func connections(now: Double) -> Int {
        let over = now - since - Self.hold
        return over < 0 ? learned : learned + 1 + Int(over / Self.step)
    }
}
