// Ferry: FerryCore
// The state of networks and power that transfers depend on.

/// The state of networks and power that transfers depend on.
package struct Conditions: Hashable, Sendable {
    /// Whether there is a usable network: a default route on an interface that is up.
    package var reachable = true
    /// Whether the primary connection is a mobile one.
    package var cellular = false
    /// Whether the network is metered.
    package var expensive = false
    /// Whether networks are to be used sparingly.
    package var constrained = false
    /// Whether the machine runs on external power, or has no battery.
    package var externalPower = true
    /// Whether hosts on this machine count as reached over the network; tests of policies want that.
    package var includesLoopback = false
    /// The interfaces that carry a default route, where that is known.
    package var uplinks: Set<UInt32> = []

    package init() {}

    /// Whether no rule can be in anybody's way.
    package var areGood: Bool { reachable && !cellular && !expensive && !constrained && externalPower }

    /// Whether a network has come up since: what failed for want of one is worth another try at once.
    package func cameUp(since old: Conditions) -> Bool {
        reachable && (!old.reachable || !uplinks.isSubset(of: old.uplinks))
    }
}
