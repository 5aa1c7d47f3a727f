// Ferry: FerryCore
// Which conditions a transfer depends on.

/// Which conditions a transfer depends on: nothing is watched that nobody asks for.
package struct ConditionNeeds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether there is a usable network.
    package static let reachability = ConditionNeeds(rawValue: 1)
    /// Whether the network is mobile or metered.
    package static let kind = ConditionNeeds(rawValue: 2)
    /// Whether there is external power.
    package static let power = ConditionNeeds(rawValue: 4)
}

extension NetworkPolicy {
    package var needs: ConditionNeeds {
        var needs = ConditionNeeds.reachability
        if !allowsCellular || !allowsExpensive || isDiscretionary { needs.insert(.kind) }
        if isDiscretionary { needs.insert(.power) }
        return needs
    }
}
