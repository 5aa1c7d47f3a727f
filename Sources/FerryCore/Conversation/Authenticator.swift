/// Answers the challenges that one server, or one proxy, makes in the course of one exchange.
///
/// Decides and computes; its user asks for credentials and brings random numbers. A server that refuses what it was sent is
/// asked about again, with the refusals counted, so that only endless answers of the user make an endless loop.
package struct Authenticator: Sendable {
    /// What comes after a challenge or an answer to it.
    package enum Step: Hashable, Sendable {
        /// The client has to answer the challenge.
        case ask(AuthenticationChallenge)
        /// The request is sent again, with `authorization`.
        case send
        /// The response that brought the challenge is the result.
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

    /// What the space accepts, as far as is known.
    private var method: Method?
    private var credentials: Credentials?
    /// What was refused; never proposed again.
    private var refused: Set<Credentials> = []
    private var failures = 0
    private var offers: ArraySlice<Method> = []
    private var pending: AuthenticationChallenge?
    /// How many requests have used the nonce.
    private var uses = 0
    /// Whether the last request carried credentials.
    private var wasSent = false
    /// Refusals of a nonce in a row: a server that calls every nonce stale must not be believed for ever.
    private var staleNonces = 0

    package init() {}

    /// Changes whenever another answer goes with the next request.
    package private(set) var version = 0

    /// Takes in a 401 or 407.
    ///
    /// - Parameter proposed: the credentials that are at hand, by URL or storage.
    package mutating func received(
        _ head: ResponseHead, host: String, port: Int, isSecure: Bool, proposed: Credentials?
    ) -> Step {
        let isProxy = head.status == 407
        let methods = Self.methods(AuthenticationOffer.all(in: head.values(Self.field(isProxy: isProxy))))
        if wasSent, let credentials {
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
        challenge.response = ResponseFacts(
            url: head.url, status: head.status, version: head.major == 2 ? "HTTP/2" : "HTTP/1.1", fields: head.fields)
        pending = challenge
        offers = methods[...]
        return askNext()
    }

    /// Takes in what is to be done about the challenge that was asked about.
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

    /// The value of the field that the next request carries; nil as long as nothing was asked for.
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

    /// Takes in a response that is no challenge: the nonce was good, and may become stale as often as before.
    package mutating func accepted() { staleNonces = 0 }

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

    /// The new nonce of a server that found only the old one wrong.
    private mutating func staleAnswer(among methods: [Method]) -> DigestAuthentication? {
        guard case .digest(let old) = method, staleNonces < 2 else { return nil }
        for case .digest(let new) in methods where new.isStale && new.realm == old.realm && new.nonce != old.nonce {
            staleNonces += 1
            return new
        }
        return nil
    }

    /// What can be answered, the strongest first.
    private static func methods(_ offers: [AuthenticationOffer]) -> [Method] {
        let digests = offers.compactMap(DigestAuthentication.init)
        let strong = digests.filter { $0.hash == .sha256 } + digests.filter { $0.hash == .md5 }
        let basics = offers.filter { $0.scheme == "basic" }
        return strong.map(Method.digest) + basics.map { .basic(realm: $0.realm) }
    }

    private static func field(isProxy: Bool) -> String { isProxy ? "Proxy-Authenticate" : "WWW-Authenticate" }
}
