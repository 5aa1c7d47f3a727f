package import FerryCore
import FerryFoundation

/// The state of networks and power that transfers depend on.
package struct Conditions: Hashable, Sendable {
    /// Whether there is a usable network: a default route on an interface that is up.
    package var reachable = true
    /// Whether the primary connection is a mobile one.
    package var cellular = false
    /// Whether the network is metered.
    package var expensive = false
    /// Whether the user asks for low data usage.
    package var constrained = false
    /// Whether the machine runs on external power, or has no battery.
    package var externalPower = true
    /// Whether network conditions apply to hosts on this machine. Used by tests of network policies.
    package var includesLoopback = false
    /// The interfaces that carry a default route, where that is known.
    package var uplinks: Set<UInt32> = []
    /// The machine's own subnets, which are reached without a default route.
    package var subnets: Set<Subnet> = []

    package init() {}

    /// Whether these conditions restrict no transfer at all.
    package var areGood: Bool { reachable && !cellular && !expensive && !constrained && externalPower }

    /// Whether a network has come up since `old`, so that failed transfers are worth an immediate attempt.
    package func cameUp(since old: Conditions) -> Bool {
        reachable && (!old.reachable || !uplinks.isSubset(of: old.uplinks))
            || !reachable && !subnets.isSubset(of: old.subnets)
    }

    /// Whether a connection to a host is worth an attempt.
    ///
    /// Without a default route, an address of an own subnet is reached, and a name may have one.
    package func mayReach(_ host: String) -> Bool {
        if reachable { return true }
        let literal = host.prefix { $0 != "%" }
        guard
            let address = IPAddress(literal.hasPrefix("[") && !literal.hasSuffix("]") ? literal + "]" : String(literal))
        else { return !subnets.isEmpty }
        return address.isLinkLocal || subnets.contains { $0.contains(address) }
    }
}

/// The conditions that a transfer depends on. Only these are monitored.
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

/// Decides whether a transfer may run under the current conditions.
package enum ConditionRule {
    /// Why a transfer may not run, or nil if it may.
    ///
    /// Network conditions do not apply to hosts on this machine. The power condition applies to every host.
    package static func obstacle(
        _ policy: NetworkPolicy, _ conditions: Conditions, host: @autoclosure () -> String,
        isLoopback: @autoclosure () -> Bool
    ) -> WaitReason? {
        if conditions.areGood { return nil }
        if let reason = networkObstacle(policy, conditions, host()), conditions.includesLoopback || !isLoopback() {
            return reason
        }
        return policy.isDiscretionary && !conditions.externalPower ? .power : nil
    }

    private static func networkObstacle(
        _ policy: NetworkPolicy, _ conditions: Conditions, _ host: String
    ) -> WaitReason? {
        if !conditions.mayReach(host) { return .network }
        if conditions.cellular, !policy.allowsCellular { return .cellular }
        if conditions.expensive, !policy.allowsExpensive || policy.isDiscretionary { return .expensive }
        if conditions.constrained, !policy.allowsConstrained { return .constrained }
        return nil
    }

    /// The error of an attempt, which without a default route may only say that there is no network.
    package static func explained(_ error: ServiceError, _ conditions: Conditions, isLoopback: Bool) -> ServiceError {
        guard !conditions.reachable, !isLoopback, error.errorClass != .final else { return error }
        let isOffline =
            switch error.code {
            case .hostNotFound, .dnsFailed: true
            case .connectFailed: error.details.errno == ENETUNREACH || error.details.errno == EHOSTUNREACH
            default: false
            }
        guard isOffline else { return error }
        var details = error.details
        details.urlError = -1009
        return ServiceError(.offline, "There is no default route to other networks. \(error.message)", details: details)
    }

    /// The error of a transfer whose policy is not to wait, or nil if it waits for this reason regardless.
    package static func error(_ reason: WaitReason, _ policy: NetworkPolicy) -> ServiceError? {
        guard !policy.waits else { return nil }
        let sentence: String
        var details = ErrorDetails(urlError: -1009)
        switch reason {
        case .network: sentence = "There is no usable network."
        case .cellular: sentence = "The network is cellular, which the transfer may not use."
        case .expensive: sentence = "The network is metered, which the transfer may not use."
        case .constrained: sentence = "Low data usage is on, so the transfer may not use the network."
        default: return nil
        }
        if reason != .network { details.network = reason }
        return ServiceError(.offline, sentence, details: details)
    }
}

/// Hosts that are this machine.
package enum LoopbackHost {
    /// Whether a lowercase host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
    package static func contains(_ host: String) -> Bool {
        var host = host
        if host.utf8.last == UInt8(ascii: "."), host.utf8.count > 1 { host.removeLast() }
        if host == "localhost" || host == "[::1]" || host == "::1" || host.hasSuffix(".localhost") { return true }
        // A name such as 127.example.org is not an address.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host of an origin like `https://[::1]:8443`.
    package static func host(ofOrigin origin: String) -> Substring {
        let rest = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
        if rest.first == "[" { return rest.firstIndex(of: "]").map { rest[...$0] } ?? rest }
        return rest.prefix { $0 != ":" && $0 != "/" }
    }
}
