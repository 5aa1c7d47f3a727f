package import FerryCore

/// Cookies and challenges that later requests of the attempt depend on.
package struct ConversationMemory: Sendable {
    /// Cookies, unless the client stores them (docs/behaviour/transfers.md#X9).
    package var cookies = TransferCookies()
    /// Servers that have sent a challenge. No password is sent to any other server (docs/behaviour/transfers.md#X7).
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

    /// Sends credentials as Basic to a server before its first challenge.
    mutating func presume(_ credentials: Credentials, _ origin: Origin) {
        if servers[origin] == nil { servers[origin] = Authenticator(presuming: credentials) }
    }

    /// Whether a server has refused credentials that were sent.
    func wasRefused(_ origin: Origin) -> Bool { servers[origin]?.wasRefused ?? false }

    /// The authentication schemes of a server's last challenge, in lower case.
    func offeredSchemes(_ origin: Origin) -> [String] { servers[origin]?.offered ?? [] }

    /// Increases whenever the credentials for a server change.
    func version(_ origin: Origin) -> Int { servers[origin]?.version ?? 0 }

    /// Processes a response without a challenge.
    mutating func accepted(_ origin: Origin) { servers[origin]?.accepted() }

    /// Processes a 401 response.
    mutating func challenged(_ head: ResponseHead, _ url: HTTPURL, proposed: Credentials?) -> Authenticator.Step {
        servers[url.origin, default: Authenticator()].received(
            head, host: url.host, port: url.port, isSecure: url.isSecure, proposed: proposed)
    }

    /// Processes the client's answer to a server's challenge.
    mutating func answered(_ answer: ChallengeAnswer, _ origin: Origin) -> Authenticator.Step {
        servers[origin]?.answered(answer) ?? .result
    }

    /// The `Authorization` value for a server, or nil before its first challenge.
    mutating func authorization(_ url: HTTPURL, method: String, _ proofs: ProofSource) -> String? {
        guard !servers.isEmpty else { return nil }
        return servers[url.origin]?.authorization(
            method: method, target: url.requestTarget, clientNonce: proofs.nonce(), digester: proofs.digester)
    }

    // MARK: Proxies

    /// The proxy for a URL, with any credentials that the client has given since, or nil for a direct connection.
    ///
    /// - Throws: The errors of ``ProxyRule/choose(for:environment:)``.
    package func proxy(for url: HTTPURL, environment: [String: String]) throws(ServiceError) -> ProxyChoice? {
        guard !environment.isEmpty, let proxy = try ProxyRule.choose(for: url, environment: environment) else {
            return nil
        }
        return proxies[ProxyPlace(proxy)]?.credentials.map { proxy.replacing($0) } ?? proxy
    }

    /// The challenge of a proxy that refused the connection.
    ///
    /// The HTTP client does not pass on the proxy's fields, so Basic is assumed.
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

/// The hash and random number source for digests. FerryCore has neither.
package struct ProofSource: Sendable {
    let digester: DigestAuthentication.Digester
    let nonce: @Sendable () -> String

    package init(digester: @escaping DigestAuthentication.Digester, nonce: @escaping @Sendable () -> String) {
        self.digester = digester
        self.nonce = nonce
    }
}
