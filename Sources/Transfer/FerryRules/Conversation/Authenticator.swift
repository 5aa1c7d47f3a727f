package import FerryCore

/// Responds to the authentication challenges of one server or proxy during one exchange.
///
/// Decides and computes only: the caller asks for credentials and supplies random numbers. After a refusal the client
/// is asked again, with the number of failures, so only endless answers of the client make an endless loop.
package struct Authenticator: Sendable {
    /// The next step after a challenge or an answer to it.
    package enum Step: Hashable, Sendable {
        /// The client has to answer the challenge.
        case ask(AuthenticationChallenge)
        /// The request is sent again, with `authorization`.
        case send
        /// The response with the challenge is the final response.
        case result
        /// The exchange ends as canceled.
        case cancel
        /// The challenge waits until its client is there.
        case wait(AuthenticationChallenge)
    }

    private enum Method: Hashable, Sendable {
        case basic(realm: String?)
        case digest(DigestAuthentication)
    }

    /// The method that the protection space accepts, once known.
    private var method: Method?
    private var credentials: Credentials?
    /// Refused credentials, which are not proposed again.
    private var refused: Set<Credentials> = []
    private var failures = 0
    private var offers: ArraySlice<Method> = []
    private var pending: AuthenticationChallenge?
    /// Number of requests that used the nonce.
    private var uses = 0
    /// Whether the method is a guess, because the server has sent no challenge.
    private var isPresumed = false
    /// The schemes that the last challenge offered.
    private(set) var offered: [String] = []
    /// Whether the last request carried credentials.
    private var wasSent = false
    /// Stale nonces in a row. Bounded, because a server may call every nonce stale.
    private var staleNonces = 0

    package init() {}

    /// Sends credentials as Basic with the first request, before any challenge (RFC 7617 §2.2).
    init(presuming credentials: Credentials) {
        self.credentials = credentials
        method = .basic(realm: nil)
        isPresumed = true
    }

    /// Increases whenever the credentials for the next request change.
    package private(set) var version = 0

    /// Processes a 401 or 407 response.
    ///
    /// - Parameter proposed: Credentials from the URL or the credential storage.
    package mutating func received(
        _ head: ResponseHead, host: String, port: Int, isSecure: Bool, proposed: Credentials?
    ) -> Step {
        let isProxy = head.status == 407
        let all = AuthenticationOffer.all(in: head.values(Self.field(isProxy: isProxy)))
        offered = all.map(\.scheme)
        let methods = Self.methods(all)
        // A guess at a server that wants a digest says nothing about the password.
        let isGuess =
            isPresumed && !methods.isEmpty && !methods.contains { if case .basic = $0 { true } else { false } }
        isPresumed = false
        if wasSent, !isGuess, let credentials {
            if let renewed = staleAnswer(among: methods) {
                method = .digest(renewed)
                uses = 0
                version += 1
                return .send
            }
            failures += 1
            refused.insert(credentials)
        }
        staleNonces = 0
        credentials = nil
        method = nil
        var challenge = AuthenticationChallenge(
            scheme: .other, realm: nil, host: host, port: port, isSecure: isSecure, isProxy: isProxy)
        challenge.previousFailures = failures
        challenge.proposed = proposed.flatMap { refused.contains($0) ? nil : $0 }
        challenge.response = head.facts
        pending = challenge
        offers = methods[...]
        return askNext()
    }

    /// Processes the client's answer to the challenge.
    package mutating func answered(_ answer: ChallengeAnswer) -> Step {
        guard let challenge = pending else { return .result }
        switch answer {
        case .credentials(let given): return use(given)
        case .performDefault:
            guard let proposed = challenge.proposed else { return .result }
            return use(proposed)
        case .rejectProtectionSpace:
            offers = offers.dropFirst()
            return askNext()
        case .cancel: return .cancel
        case .wait: return .wait(challenge)
        }
    }

    /// The `Authorization` value for the next request, or nil before any challenge.
    package mutating func authorization(
        method name: String, target: String, clientNonce: String, digester: DigestAuthentication.Digester
    ) -> String? {
        guard let credentials, let method else {
            wasSent = false
            return nil
        }
        wasSent = true
        switch method {
        case .basic: return credentials.basicAuthorization
        case .digest(let digest):
            uses += 1
            let proof = DigestAuthentication.Proof(
                method: name, target: target, count: uses, clientNonce: clientNonce)
            return digest.authorization(credentials, proof, digester: digester)
        }
    }

    /// Processes a response without a challenge: the nonce was accepted, so stale nonces are counted from 0.
    package mutating func accepted() { staleNonces = 0 }

    /// Whether credentials were sent and refused.
    var wasRefused: Bool { failures > 0 }

    // MARK: -

    private mutating func use(_ given: Credentials) -> Step {
        guard let chosen = offers.first else { return .result }
        credentials = given
        method = chosen
        uses = 0
        version += 1
        pending = nil
        return .send
    }

    private mutating func askNext() -> Step {
        guard let next = offers.first, var challenge = pending else { return .result }
        switch next {
        case .basic(let realm): (challenge.scheme, challenge.realm) = (.basic, realm)
        case .digest(let digest): (challenge.scheme, challenge.realm) = (.digest, digest.realm)
        }
        pending = challenge
        return .ask(challenge)
    }

    /// Digest authentication with the server's new nonce, if only the old nonce was refused.
    private mutating func staleAnswer(among methods: [Method]) -> DigestAuthentication? {
        guard case .digest(let old) = method, staleNonces < 2 else { return nil }
        for case .digest(let new) in methods where new.isStale && new.realm == old.realm && new.nonce != old.nonce {
            staleNonces += 1
            return new
        }
        return nil
    }

    /// The supported methods, strongest first.
    private static func methods(_ offers: [AuthenticationOffer]) -> [Method] {
        let digests = offers.compactMap(DigestAuthentication.init)
        let strong = digests.filter { $0.hash == .sha256 } + digests.filter { $0.hash == .md5 }
        let basics = offers.filter { $0.scheme == "basic" }
        return strong.map(Method.digest) + basics.map { .basic(realm: $0.realm) }
    }

    private static func field(isProxy: Bool) -> String { isProxy ? "Proxy-Authenticate" : "WWW-Authenticate" }
}
