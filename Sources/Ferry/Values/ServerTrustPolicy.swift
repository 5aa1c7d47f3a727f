// Ferry: Ferry
// How a server shows who it is.

/// How the server of a host shows who it is.
public enum ServerTrustPolicy: Hashable, Sendable {
    /// By a certificate that the system trusts, of the host's name if that is to be looked at.
    case performDefaultEvaluation(validateHost: Bool)
    /// Not at all: anybody may stand in for it.
    case disableEvaluation
}
