// Ferry: FerryCore
// A server or proxy that wants credentials.

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
