// Ferry: FerryCore
// A challenge that waits for its client.

/// A challenge that a transfer waits with until its client answers.
package enum PendingChallenge: Hashable, Codable, Sendable {
    case authentication(AuthenticationChallenge)
    case trust(TrustChallenge)

    /// What a transfer that waits with it shows.
    package var error: TransferError {
        switch self {
        case .authentication(let challenge):
            TransferError(
                challenge.isProxy ? .proxyAuthRequired : .authRequired,
                "\(challenge.host.escapingControls) wants credentials.")
        case .trust(let challenge):
            challenge.fault
                ?? TransferError(
                    .tlsCertificate, "Somebody has to say whether \(challenge.host.escapingControls) is trusted.")
        }
    }
}
