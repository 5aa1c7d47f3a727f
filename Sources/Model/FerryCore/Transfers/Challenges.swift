package import FerryFoundation

/// An authentication challenge of a server or proxy (RFC 9110 §11).
package struct AuthenticationChallenge: Hashable, Codable, Sendable {
    package enum Scheme: String, Codable, Sendable { case basic, digest, other }

    package var scheme: Scheme
    package var realm: String?
    package var host: String
    package var port: Int
    package var isSecure: Bool
    package var isProxy: Bool
    /// Number of refused credentials in this exchange.
    package var previousFailures: Int
    /// The default credentials: the URL's userinfo, unless refused.
    package var proposed: Credentials?
    package var response: ResponseFacts?

    package init(scheme: Scheme, realm: String?, host: String, port: Int, isSecure: Bool, isProxy: Bool) {
        self.scheme = scheme
        self.realm = realm
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.isProxy = isProxy
        previousFailures = 0
    }
}

/// The client's decision about an authentication challenge.
package enum ChallengeAnswer: Hashable, Codable, Sendable {
    case credentials(Credentials)
    /// Uses the proposed credentials. Without them the 401 or 407 is the final response.
    case performDefault
    /// Cancels the transfer.
    case cancel
    /// Continues with the next scheme that the server offers.
    case rejectProtectionSpace
    /// The transfer waits until the client is available.
    case wait
}

/// The certificates of a server, for the client to evaluate.
package struct TrustChallenge: Hashable, Codable, Sendable {
    package var host: String
    package var port: Int
    /// DER encoded, leaf first.
    package var certificates: [Data]
    /// The result of the default evaluation: nil if the certificates are trusted.
    package var fault: ServiceError?

    package init(host: String, port: Int, certificates: [Data], fault: ServiceError?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.fault = fault
    }
}

/// The client's decision about a server's certificates.
package enum TrustAnswer: String, Hashable, Codable, Sendable {
    /// The default evaluation decides.
    case performDefault
    /// Trusts the certificates whatever the evaluation says.
    case accept
    /// Cancels the transfer.
    case cancel
    /// Refuses the connection as untrusted.
    case reject
    /// The transfer waits until the client is available.
    case wait
}

/// A challenge that a transfer waits with until the client answers.
package enum PendingChallenge: Hashable, Codable, Sendable {
    case authentication(AuthenticationChallenge)
    case trust(TrustChallenge)

    /// The error shown while the transfer waits.
    package var error: ServiceError {
        switch self {
        case .authentication(let challenge):
            ServiceError(
                challenge.isProxy ? .proxyAuthRequired : .authRequired,
                "\(challenge.host.escapingControls) requires credentials.")
        case .trust(let challenge):
            challenge.fault
                ?? ServiceError(
                    .tlsCertificate, "The client must decide whether \(challenge.host.escapingControls) is trusted.")
        }
    }
}
