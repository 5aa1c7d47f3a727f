import FerryCore

/// The properties of a connection besides its destination. Requests share a connection only if all are equal.
struct ConnectionKey: Hashable, Sendable {
    /// Index of the event loop.
    var loop = 0
    var proxy: ProxyChoice?
    /// The only family of addresses to connect to. `nil` for both.
    var family: AddressFamily?
    /// The addresses to which it may lead.
    var scope = AddressScope.any
    var isInsecure = false
    /// Whether certificates for another host are accepted.
    var skipsHostVerification = false
    var offersHTTP2 = false
    /// Whether each request uses a new connection.
    var isFresh = false
    /// Whether each request's advisor decides about the server's certificates.
    var asksForTrust = false
    /// Whether an app speaks a protocol of its own, which TLS does not name.
    var isStream = false
    var minimumTLS: FerryCore.TLSVersion?
    var maximumTLS: FerryCore.TLSVersion?
    /// The request's own trust settings. `nil` uses the engine's.
    var trust: TrustMaterial?
}

/// Where a connection leads, and how.
struct ConnectionTarget: Hashable, Sendable {
    let key: ConnectionKey
    /// The origin of all requests. `nil` stands for a proxy that forwards requests to any origin.
    ///
    /// Two origins may have one address, and no byte of one of them may answer a request to the other. So connections
    /// belong to an origin, not to an address.
    let origin: Origin?

    init(_ key: ConnectionKey, for url: HTTPURL) {
        self.key = key
        origin = key.proxy?.tunnels(to: url) == false ? nil : url.origin
    }

    /// The host to connect to: the proxy's or the origin's.
    var host: String { key.proxy?.host ?? origin?.host ?? "" }

    var port: Int { key.proxy?.port ?? origin?.port ?? 0 }

    /// Whether the origin uses TLS.
    var isSecure: Bool { origin?.scheme == "https" }

    /// The destination that a proxy is asked to connect to.
    var tunnel: TunnelTarget { origin.map(TunnelTarget.init) ?? TunnelTarget(host: host, port: port) }
}
