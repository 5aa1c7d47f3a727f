public import BackgroundURLSession
import FerryURLSession

extension URLSession {
    /// How the servers of a manager's later downloads show who they are, for a session that is a ``SessionManager/session``; any
    /// other session has none, and takes its decisions from its delegate.
    public var serverTrustPolicyManager: ServerTrustPolicyManager? {
        get { (owner as? ChainHooks)?.trust }
        set { (owner as? ChainHooks)?.trust = newValue }
    }
}
