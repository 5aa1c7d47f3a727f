package import FerryFoundation

/// Decides what an exchange with a server leaves to its client: redirects, challenges, cookies.
///
/// Called from any task; a slow answer holds up that exchange alone, and no timeout of the exchange runs meanwhile.
package protocol ExchangeAdvisor: Sendable {
    /// The value of the `Cookie` field for a request; nil sends none.
    func cookies(for url: HTTPURL) async -> String?
    /// Takes the `Set-Cookie` fields of a response.
    func receivedCookies(_ fields: [String], from url: HTTPURL) async
    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer
    /// Answers a 401 or 407.
    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer
    /// Answers for a server's certificates.
    func answer(_ challenge: TrustChallenge) async -> TrustAnswer
}

/// A redirect that waits for its client's word.
package struct ProposedRedirect: Hashable, Sendable {
    /// The head of the redirect.
    package var head: ResponseHead
    package var url: String
    package var method: String
    /// The client's fields as they would be sent.
    package var fields: [HeaderField]
    /// Whether the body would be sent again.
    package var keepsBody: Bool

    package init(head: ResponseHead, url: String, method: String, fields: [HeaderField], keepsBody: Bool) {
        self.head = head
        self.url = url
        self.method = method
        self.fields = fields
        self.keepsBody = keepsBody
    }
}

/// What becomes of a redirect.
package enum RedirectAnswer: Hashable, Sendable {
    case follow
    /// Another request is made instead, with these fields of the client's.
    case followOther(url: String, method: String, fields: [HeaderField])
    /// The redirect itself is the result.
    case stay
    /// The transfer ends as canceled.
    case cancel
}

/// A server or proxy that wants credentials (RFC 9110 §11).
package struct AuthenticationChallenge: Hashable, Codable, Sendable {
    package enum Scheme: String, Codable, Sendable { case basic, digest, other }

    package var scheme: Scheme
    package var realm: String?
    package var host: String
    package var port: Int
    package var isSecure: Bool
    package var isProxy: Bool
    /// How often credentials were refused in this exchange.
    package var previousFailures: Int
    /// What would be sent by default: the URL's userinfo, unless it was refused.
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

/// What becomes of a challenge.
package enum ChallengeAnswer: Hashable, Codable, Sendable {
    case credentials(Credentials)
    /// The proposed credentials, else the 401 or 407 is the result.
    case performDefault
    /// The transfer ends as canceled.
    case cancel
    /// The next scheme that the server offers is asked about.
    case rejectProtectionSpace
    /// The transfer waits until its client is there to answer.
    case wait
}

/// A server that shows its certificates.
package struct TrustChallenge: Hashable, Codable, Sendable {
    package var host: String
    package var port: Int
    /// DER, leaf first.
    package var certificates: [Data]
    /// What the default evaluation finds wrong; nil if nothing.
    package var fault: ServiceError?

    package init(host: String, port: Int, certificates: [Data], fault: ServiceError?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.fault = fault
    }
}

/// What becomes of a server's certificates.
package enum TrustAnswer: String, Hashable, Codable, Sendable {
    /// The default evaluation decides.
    case performDefault
    /// They are accepted whatever the evaluation finds.
    case accept
    /// The transfer ends as canceled.
    case cancel
    /// The connection is refused as untrusted.
    case reject
    /// The transfer waits until its client is there to answer.
    case wait
}

/// A challenge that a transfer waits with until its client answers.
package enum PendingChallenge: Hashable, Codable, Sendable {
    case authentication(AuthenticationChallenge)
    case trust(TrustChallenge)

    /// What a transfer that waits with it shows.
    package var error: ServiceError {
        switch self {
        case .authentication(let challenge):
            ServiceError(
                challenge.isProxy ? .proxyAuthRequired : .authRequired,
                "\(challenge.host.escapingControls) wants credentials.")
        case .trust(let challenge):
            challenge.fault
                ?? ServiceError(
                    .tlsCertificate, "The client has to say whether \(challenge.host.escapingControls) is trusted.")
        }
    }
}
