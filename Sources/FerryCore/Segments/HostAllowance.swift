// Ferry: FerryCore
// How many connections a host was found to take.

/// How many connections a host was found to take, after it refused some (docs/behaviour/transfers.md#S10).
package struct HostAllowance: Hashable, Sendable {
    private static let hold = 600.0
    private static let step = 120.0

    private let learned: Int
    /// When it was learned, in seconds of a steady clock.
    private let since: Double

    /// - Parameters:
    ///   - active: connections when one was refused, that one included; half of them are what the host is taken to bear,
    ///   - receiving: or those that received something if they are fewer, but one at least.
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
