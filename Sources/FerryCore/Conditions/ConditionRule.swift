// Ferry: FerryCore
// Whether a transfer may run under the present conditions.

/// Whether a transfer may run under the present conditions.
package enum ConditionRule {
    /// Why a transfer may not run; nil if it may.
    ///
    /// A host on this machine is reached whatever the networks do; power counts for it as for any other.
    package static func obstacle(
        _ policy: NetworkPolicy, _ conditions: Conditions, isLoopback: @autoclosure () -> Bool
    ) -> WaitReason? {
        if conditions.areGood { return nil }
        if let reason = networkObstacle(policy, conditions), conditions.includesLoopback || !isLoopback() {
            return reason
        }
        return policy.isDiscretionary && !conditions.externalPower ? .power : nil
    }

    private static func networkObstacle(_ policy: NetworkPolicy, _ conditions: Conditions) -> WaitReason? {
        if !conditions.reachable { return .network }
        if conditions.cellular, !policy.allowsCellular { return .cellular }
        if conditions.expensive, !policy.allowsExpensive || policy.isDiscretionary { return .expensive }
        if conditions.constrained, !policy.allowsConstrained { return .constrained }
        return nil
    }

    /// The error of a transfer that does not wait; nil if it waits for this all the same.
    package static func error(_ reason: WaitReason, _ policy: NetworkPolicy) -> TransferError? {
        guard !policy.waits else { return nil }
        let sentence: String
        var details = ErrorDetails(urlError: -1009)
        switch reason {
        case .network: sentence = "There is no usable network."
        case .cellular: sentence = "The network is a mobile one, which the transfer may not use."
        case .expensive: sentence = "The network is metered, and the transfer may not use such a one."
        case .constrained: sentence = "The network is to be used sparingly, and the transfer may not use such a one."
        default: return nil
        }
        if reason != .network { details.network = reason }
        return TransferError(.offline, sentence, details: details)
    }
}
