import AsyncHTTPClient
import FerryCore
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization

/// The HTTP clients of the engine. Requests share a pooled connection only if all of its properties are equal.
///
/// Each event loop has its own clients. A client over several loops would need the loop of every request, and it closes
/// such a connection after the first request instead of reusing it.
final class ClientPool: Sendable {
    /// The properties of a connection besides its origin.
    struct Key: Hashable, Sendable {
        /// Index of the event loop.
        var loop = 0
        var proxy: ProxyChoice?
        var isInsecure = false
        /// Whether certificates for another host are accepted.
        var skipsHostVerification = false
        var offersHTTP2 = false
        /// Whether each request uses a new connection.
        var isFresh = false
        /// Whether the connection itself starts TLS, and asks its requests' advisors about certificates.
        ///
        /// The HTTP client treats such a connection as plain HTTP.
        var asksForTrust = false
        var minimumTLS: FerryCore.TLSVersion?
        var maximumTLS: FerryCore.TLSVersion?
        /// The request's own trust settings. `nil` uses the engine's.
        var trust: TrustMaterial?
    }

    /// The inputs of a TLS context.
    private struct Context: Hashable {
        var minimum: FerryCore.TLSVersion?
        var maximum: FerryCore.TLSVersion?
        var trust: TrustMaterial?
        var isInsecure = false
        /// Versions of the engine's root files. Used if the request has no trust settings.
        var roots: [FileVersion?]
    }

    /// The TLS contexts of connections that start TLS themselves.
    private struct Contexts {
        var origin: NIOSSLContext?
        var proxy: NIOSSLContext?
    }

    /// The destination of connections: an address of the origin or of its proxy.
    ///
    /// The address of a client is fixed, so each route has its own client. The pool drops one that is unused for a
    /// while.
    struct Route: Hashable, Sendable {
        var name: String
        var address: String
    }

    /// A client in use.
    struct Lease: Sendable {
        let client: HTTPClient
        fileprivate let use: Use
    }

    fileprivate struct Use: Hashable {
        var key: Key
        var route: Route?
        /// The origin behind a tunneling proxy. `nil` if the proxy takes the requests themselves.
        var tunnel: TunnelTarget?
        /// The host that certificates must match. `nil` if the client does no TLS or the name is not checked.
        var names: ServerNameCheck?
        /// Whether the tunnel's origin uses TLS.
        var isTunnelSecure = false
        /// Whether the client uses TLS. One without TLS reads no certificates, which take a megabyte or more.
        let isSecure: Bool

        init(_ key: Key, _ route: Route?, _ url: HTTPURL) {
            self.key = key
            self.route = route
            let isChecked = url.isSecure && !key.asksForTrust && !key.isInsecure && !key.skipsHostVerification
            isSecure = url.isSecure && !key.asksForTrust && key.proxy == nil
            names = isChecked ? ServerNameCheck(host: url.host) : nil
            if let proxy = key.proxy, proxy.tunnels(to: url) {
                tunnel = TunnelTarget(url)
                isTunnelSecure = url.isSecure
            }
        }

        /// Whether requests can create any number of such clients. The pool drops one of them after a while without
        /// use.
        var isOneOfMany: Bool { route != nil || names != nil || key.trust != nil || key.proxy != nil }
    }

    private struct Member {
        let client: HTTPClient
        var leases = 0
        var idleSince = NIODeadline.now()
    }

    private struct State {
        var members: [Use: Member] = [:]
        var isSweeping = false
        var contexts: [Context: NIOSSLContext] = [:]
        var isShutDown = false

        /// Returns the existing client and counts one more use.
        mutating func join(_ use: Use) -> HTTPClient? {
            guard let index = members.index(forKey: use) else { return nil }
            members.values[index].leases += 1
            return members.values[index].client
        }

        mutating func end(_ use: Use) {
            guard let index = members.index(forKey: use) else { return }
            members.values[index].leases -= 1
            members.values[index].idleSince = .now()
        }
    }

    let directory = ExchangeDirectory()
    let refusals = HTTP2Refusals()
    private let loops: EngineLoops
    private let trust: TrustRoots
    private let timeouts: Timeouts
    private let names: NameResolver
    private let state = Mutex(State())

    /// Maximum number of TLS contexts. Requests may name any number of certificates.
    private static let mostContexts = 16

    init(loops: EngineLoops, trust: TrustRoots, timeouts: Timeouts, names: NameResolver) {
        self.loops = loops
        self.names = names
        self.trust = trust
        self.timeouts = timeouts
    }

    /// Returns the existing client for ``lease(_:_:for:)``. Reads nothing from disk.
    func known(_ key: Key, _ route: Route?, for url: HTTPURL) -> Lease? {
        let use = Use(key, route, url)
        return state.withLock { $0.join(use) }.map { Lease(client: $0, use: use) }
    }

    /// Returns a client for connections to a route, or without one, to the address that the URL's or the proxy's name
    /// resolves to.
    ///
    /// For a new client this reads the trusted certificates and blocks on their disk.
    /// - Parameter url: The URL of the request. Certificates must match its host unless the key says otherwise.
    /// - Throws: ``ServiceError`` with code `internal` after the pool was shut down.
    func lease(_ key: Key, _ route: Route?, for url: HTTPURL) throws(ServiceError) -> Lease {
        assert(MultiThreadedEventLoopGroup.currentEventLoop == nil, "certificates are read on an event loop")
        if let known = known(key, route, for: url) { return known }
        let use = Use(key, route, url)
        // Files are read without the lock.
        let configuration = configuration(use, try contexts(of: use))
        let (client, sweeps) = state.withLock { state -> (HTTPClient?, Bool) in
            guard !state.isShutDown else { return (nil, false) }
            if let client = state.join(use) { return (client, false) }
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(loops[key.loop]), configuration: configuration,
                backgroundActivityLogger: NoLog.logger)
            state.members[use] = Member(client: client, leases: 1)
            defer { state.isSweeping = state.isSweeping || use.isOneOfMany }
            return (client, use.isOneOfMany && !state.isSweeping)
        }
        guard let client else { throw ServiceError(.internal, "The engine has shut down.") }
        if sweeps { sweepLater() }
        return Lease(client: client, use: use)
    }

    func end(_ lease: Lease) {
        state.withLock { $0.end(lease.use) }
    }

    /// Time after which an unused client may be dropped. Longer than the idle time of a connection.
    private static let idleTime = TimeAmount.seconds(20)

    /// Schedules a sweep, on a loop that does no disk writes.
    private func sweepLater() {
        loops[loops.take(nil)].scheduleTask(in: Self.idleTime) { [weak self] in self?.sweep() }
    }

    /// Drops clients for routes, proxies and trust settings that have been unused for a while.
    private func sweep() {
        let (idle, goesOn) = state.withLock { state in
            let limit = NIODeadline.now() - Self.idleTime
            let idle = state.members.filter {
                $0.key.isOneOfMany && $0.value.leases == 0 && $0.value.idleSince <= limit
            }
            for use in idle.keys { state.members[use] = nil }
            state.isSweeping = !state.isShutDown && state.members.keys.contains(where: \.isOneOfMany)
            return (idle.values.map(\.client), state.isSweeping)
        }
        for client in idle { client.shutdown { _ in } }
        if goesOn { sweepLater() }
    }

    func shutdown() async {
        let members = state.withLock { state in
            state.isShutDown = true
            defer { state.members = [:] }
            return Array(state.members.values)
        }
        for member in members { try? await member.client.shutdown() }
    }

    private func contexts(of use: Use) throws(ServiceError) -> Contexts {
        var contexts = Contexts()
        if use.key.asksForTrust || use.isTunnelSecure {
            contexts.origin = try context(use.key, isInsecure: use.key.isInsecure && !use.key.asksForTrust)
        }
        if use.key.proxy?.scheme == .https {
            // The proxy gets the user's credentials, so its certificate is verified even if an origin's is not.
            var key = use.key
            key.trust = key.trust?.withoutClientCertificate
            contexts.proxy = try context(key, isInsecure: false)
        }
        return contexts
    }

    /// Returns a context for connections that start TLS themselves. The first call reads the system's roots.
    private func context(_ key: Key, isInsecure: Bool) throws(ServiceError) -> NIOSSLContext {
        let roots = key.trust == nil ? trust.versions : []
        let wanted = Context(
            minimum: key.minimumTLS, maximum: key.maximumTLS, trust: key.trust, isInsecure: isInsecure, roots: roots)
        if let context = state.withLock({ $0.contexts[wanted] }) { return context }
        // The trust evaluation checks the host name together with everything else, so the library does not.
        var configuration = trust.configuration(
            isInsecure: isInsecure, minimum: key.minimumTLS, maximum: key.maximumTLS, material: key.trust)
        configuration.applicationProtocols = ["http/1.1"]
        do {
            let context = try NIOSSLContext(configuration: configuration)
            state.withLock { state in
                if state.contexts.count >= Self.mostContexts { state.contexts = [:] }
                state.contexts[wanted] = context
            }
            return context
        } catch {
            throw ServiceError(.tlsFailed, "TLS cannot be set up (\(error)).".escapingControls)
        }
    }

    /// Returns the handshakes for connections through the proxy of a use, or `nil` without a proxy.
    private func link(_ use: Use, _ contexts: Contexts) -> ProxyLink? {
        guard let proxy = use.key.proxy else { return nil }
        let target = use.tunnel ?? TunnelTarget(host: proxy.host, port: proxy.port)
        return ProxyLink(
            proxy: proxy, target: target, isTunnel: use.tunnel != nil, proxyTLS: contexts.proxy,
            originTLS: use.key.asksForTrust ? nil : contexts.origin,
            verification: use.names.map { .named($0.host) } ?? (use.key.isInsecure ? .anything : .trusted),
            names: names,
            timeout: timeouts.connect)
    }

    private func configuration(_ use: Use, _ contexts: Contexts) -> HTTPClient.Configuration {
        let key = use.key
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout = .init(connect: .nanoseconds(Int64(timeouts.connect * 1e9)))
        configuration.connectionPool.idleTimeout = .seconds(15)
        // The scheduler limits connections per host over all transfers. The client's own limit must not be lower.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4096
        // Report a refused connection at once: the service decides when to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Requests are not traced. Each would begin a span.
        configuration.tracing.tracer = nil
        configuration.httpVersion = key.offersHTTP2 ? .automatic : .http1Only
        configuration.tlsConfiguration =
            use.isSecure
            ? trust.configuration(
                isInsecure: key.isInsecure, minimum: key.minimumTLS, maximum: key.maximumTLS, material: key.trust)
            : .trustingNobody
        let version = NegotiatedVersion()
        let link = link(use, contexts)
        // The connection starts TLS with its first request.
        let context = key.asksForTrust ? contexts.origin : nil
        configuration.http1_1ConnectionDebugInitializer = {
            [directory, names = link == nil ? use.names : nil] channel in
            let ready = link?.establish(on: channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            // With a fixed large buffer the kernel's copy is the bottleneck, not the number of reads.
            return ready.flatMap {
                channel.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 256 << 10))
            }
            .flatMap { channel.setOption(.writeBufferWaterMark, value: Self.writeBuffer) }
            .flatMapThrowing {
                try version.check(.http1, of: channel)
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(ReusedConnectionGuard(), position: .first)
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let heads = HeadMender()
                try pipeline.addHandler(heads, position: .before(decoder))
                let tap = ConnectionTap(
                    directory: directory, heads: heads, security: context, names: names, isProxied: link != nil)
                try pipeline.addHandler(tap, position: .after(decoder))
            }
        }
        configuration.http2ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                try version.check(.http2, of: channel)
                let pipeline = channel.pipeline.syncOperations
                let tls = try pipeline.handler(type: NIOSSLHandler.self)
                try pipeline.addHandler(HTTP2ErrorCloser(), position: .after(tls))
                let codec = try pipeline.handler(type: NIOHTTP2Handler.self)
                try pipeline.addHandler(HTTP2PushRefuser(), position: .after(codec))
            }
        }
        configuration.http2StreamChannelDebugInitializer = { [names = use.names] stream in
            HTTP2HeadCheck.add(to: stream)
            names?.check(stream: stream)
            return stream.eventLoop.makeSucceededVoidFuture()
        }
        if key.isFresh { configuration.maximumUsesPerConnection = 1 }
        if let route = use.route { configuration.dnsOverride = [route.name.withoutFinalStop: route.address] }
        return configuration
    }

    /// A connection with more buffered bytes than the upper mark is not written to. The largest head is far below it:
    /// the HTTP client traps if the head of a request with a body crosses that mark.
    private static let writeBuffer = ChannelOptions.Types.WriteBufferWaterMark(low: 64 << 10, high: 512 << 10)
}
