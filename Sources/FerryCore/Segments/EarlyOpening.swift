/// How many connections are opened before the first answer says whether several may share the file.
///
/// Each of them saves its first part a handshake. They are opened only where the user gave a number, and where nothing that
/// is known before the answer speaks against their use.
package struct EarlyOpening: Hashable, Sendable {
    /// The number of connections that the user gave.
    package var wanted: Int?
    /// Bytes to come, as far as they are known.
    package var missing: Int64?
    /// Whether the request is of the kind whose answer may be shared.
    package var isSharable: Bool
    /// Whether the connections that were last opened early to the origin were not needed.
    package var wasInVain: Bool

    package init(wanted: Int?, missing: Int64? = nil, isSharable: Bool = true, wasInVain: Bool = false) {
        self.wanted = wanted
        self.missing = missing
        self.isSharable = isSharable
        self.wasInVain = wasInVain
    }

    /// Connections to open beside that of the first request.
    package var count: Int {
        guard let wanted, isSharable, !wasInVain, missing ?? .max >= SegmentRule.worthSharing else { return 0 }
        return max(0, wanted - 1)
    }
}

/// How many connections a host was found to take, after it refused some (docs/behaviour/transfers.md#S10).
package struct HostAllowance: Hashable, Sendable {
    private static let hold = 600.0
    private static let step = 120.0

    private let learned: Int
    /// When it was learned, in seconds of a steady clock.
    private let since: Double

    /// - Parameters:
    ///   - active: connections when one was refused, that one included; the host is assumed to bear half of them,
    ///   - receiving: or as many as received something if that is fewer, but one at least.
    package init(active: Int, receiving: Int, now: Double) {
        learned = max(1, min(active / 2, receiving))
        since = now
    }

    /// Connections that the host may be asked for; for 10 min what was learned, then one more every 2 min.
    package func connections(now: Double) -> Int {
        let over = now - since - Self.hold
        return over < 0 ? learned : learned + 1 + Int(over / Self.step)
    }
}
