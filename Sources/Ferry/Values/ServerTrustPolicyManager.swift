// Ferry: Ferry
// How the servers of a manager show who they are.

/// How the servers of a manager's downloads show who they are, by their hosts; others by a certificate as usual.
open class ServerTrustPolicyManager: @unchecked Sendable {  // SAFETY: immutable; a subclass keeps its own state
    public let policies: [String: ServerTrustPolicy]

    public init(policies: [String: ServerTrustPolicy]) { self.policies = policies }
}
