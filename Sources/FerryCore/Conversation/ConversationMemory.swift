/// What servers and proxies have told in the course of an attempt, for each request that follows.
package struct ConversationMemory: Sendable {
    /// Cookies of servers, where no client keeps them (docs/behaviour/transfers.md#X9).
    package var cookies = TransferCookies()
    /// What servers have asked for; to one that has not asked, no password is sent (docs/behaviour/transfers.md#X7).
    private var servers: [Origin: Authenticator] = [:]
    private var proxies: [ProxyPlace: ProxyAnswer] = [:]

    private struct ProxyPlace: Hashable {
        let scheme: ProxyChoice.Scheme
        let host: String
        let port: Int

        init(_ proxy: ProxyChoice) { (scheme, host, port) = (proxy.scheme, proxy.host, proxy.port) }
    }

    private struct ProxyAnswer {
        var credentials: Credentials?
        var failures = 0
    }

    package init() {}

    // MARK: Servers

    /// Changes whenever another answer goes to a server.
    func version(_ origin: Origin) -> Int { servers[origin]?.version ?? 0 }

    /// Takes in a response that is no challenge.
    mutating func accepted(_ origin: Origin) { servers[origin]?.accepted() }

    /// Takes in a 401.
    mutating func challenged(_ head: ResponseHead, _ url: HTTPURL, proposed: Credentials?) -> Authenticator.Step {
        servers[url.origin, default: Authenticator()].received(
            head, host: url.host, port: url.port, isSecure: url.isSecure, proposed: proposed)
    }

    /// Takes in what is to be done about the challenge of a server.
    mutating func answered(_ answer: ChallengeAnswer, _ origin: Origin) -> Authenticator.Step {
        servers[origin]?.answered(answer) ?? .result
    }

    /// What a server has asked for; nil if it has not asked.
    mutating func authorization(_ url: HTTPURL, method: String, _ proofs: ProofSource) -> String? {
        guard !servers.isEmpty else { return nil }
        return servers[url.origin]?.authorization(
            method: method, target: url.requestTarget, clientNonce: proofs.nonce(), digester: proofs.digester)
    }

    // MARK: Proxies

    /// The proxy for a URL, with the credentials that were given for it meanwhile; nil for a direct connection.
    ///
    /// - Throws: as ``ProxyRule/choose(for:environment:)``.
    package func proxy(for url: HTTPURL, environment: [String: String]) throws(ServiceError) -> ProxyChoice? {
        guard !environment.isEmpty, let proxy = try ProxyRule.choose(for: url, environment: environment) else {
            return nil
        }
        return proxies[ProxyPlace(proxy)]?.credentials.map { proxy.replacing($0) } ?? proxy
    }

    /// What a proxy that refuses a connection asks for.
    ///
    /// The HTTP client does not pass on what the proxy said, so Basic is what is asked about.
    mutating func challenged(_ proxy: ProxyChoice) -> AuthenticationChallenge {
        if proxy.credentials != nil { proxies[ProxyPlace(proxy), default: ProxyAnswer()].failures += 1 }
        var challenge = AuthenticationChallenge(
            scheme: .basic, realm: nil, host: proxy.host, port: proxy.port, isSecure: false, isProxy: true)
        challenge.previousFailures = proxies[ProxyPlace(proxy)]?.failures ?? 0
        return challenge
    }

    mutating func give(_ credentials: Credentials, to proxy: ProxyChoice) {
        proxies[ProxyPlace(proxy), default: ProxyAnswer()].credentials = credentials
    }
}

/// What proofs of passwords are made with: FerryCore knows no hash and no random number.
package struct ProofSource: Sendable {
    let digester: DigestAuthentication.Digester
    let nonce: @Sendable () -> String

    package init(digester: @escaping DigestAuthentication.Digester, nonce: @escaping @Sendable () -> String) {
        self.digester = digester
        self.nonce = nonce
    }
}
