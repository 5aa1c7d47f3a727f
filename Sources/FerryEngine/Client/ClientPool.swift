// Ferry: FerryEngine
// The HTTP clients of the engine, one for each way of connecting.

import AsyncHTTPClient
import FerryCore
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The HTTP clients of the engine: connections are pooled, and never shared between ways of connecting that differ.
///
/// Each event loop has clients of its own. A client over several loops would have to be told the loop of every request, and
/// such a connection is closed after its first request instead of being kept for the next.
final class ClientPool: Sendable {
    /// What a connection depends on besides scheme, host and port.
    struct Key: Hashable, Sendable {
        /// Which of the engine's event loops.
        var loop = 0
        var proxy: ProxyChoice?
        var isInsecure = false
        /// Whether certificates may be for another host.
        var skipsHostVerification = false
        var offersHTTP2 = false
        /// Whether every request has a connection of its own.
        var isFresh = false
        /// Whether TLS is started by the connection itself, which asks the advisors of its requests about certificates.
        ///
        /// To the HTTP client such a connection is one of plain HTTP.
        var asksForTrust = false
        var minimumTLS: FerryCore.TLSVersion?
        var maximumTLS: FerryCore.TLSVersion?
    }

    /// What a TLS context depends on.
    private struct Context: Hashable {
        var minimum: FerryCore.TLSVersion?
        var maximum: FerryCore.TLSVersion?
    }

    private struct State {
        var clients: [Key: HTTPClient] = [:]
        var contexts: [Context: NIOSSLContext] = [:]
        var isShutDown = false
    }

    let directory = ExchangeDirectory()
    let refusals = HTTP2Refusals()
    private let loops: [any EventLoop]
    private let trust: TrustRoots
    private let timeouts: Timeouts
    private let state = Mutex(State())

    init(loops: [any EventLoop], trust: TrustRoots, timeouts: Timeouts) {
        self.loops = loops
        self.trust = trust
        self.timeouts = timeouts
    }

    /// - Throws: ``TransferError`` with code `internal` once the pool was shut down.
    func client(_ key: Key) throws(TransferError) -> HTTPClient {
        let context = key.asksForTrust ? try context(key) : nil
        let client = state.withLock { state -> HTTPClient? in
            guard !state.isShutDown else { return nil }
            if let client = state.clients[key] { return client }
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(loops[key.loop]), configuration: configuration(key, context),
                backgroundActivityLogger: NoLog.logger)
            state.clients[key] = client
            return client
        }
        guard let client else { throw TransferError(.internal, "The engine has ended.") }
        return client
    }

    func shutdown() async {
        let clients = state.withLock { state in
            state.isShutDown = true
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        for client in clients { try? await client.shutdown() }
    }

    /// The context of connections that start TLS themselves; the first one reads the system's roots.
    private func context(_ key: Key) throws(TransferError) -> NIOSSLContext {
        let wanted = Context(minimum: key.minimumTLS, maximum: key.maximumTLS)
        if let context = state.withLock({ $0.contexts[wanted] }) { return context }
        // The name of the host is checked with everything else that the evaluation finds, not by the library.
        var configuration = trust.configuration(
            isInsecure: false, minimum: key.minimumTLS, maximum: key.maximumTLS)
        configuration.certificateVerification = .noHostnameVerification
        configuration.applicationProtocols = ["http/1.1"]
        do {
            let context = try NIOSSLContext(configuration: configuration)
            state.withLock { $0.contexts[wanted] = context }
            return context
        } catch {
            throw TransferError(.tlsFailed, "TLS cannot be set up (\(error)).".escapingControls)
        }
    }

    private func configuration(_ key: Key, _ context: NIOSSLContext?) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout = .init(connect: .nanoseconds(Int64(timeouts.connect * 1e9)))
        configuration.connectionPool.idleTimeout = .seconds(15)
        // The limit per host is the scheduler's, over all transfers; the client's own must not be lower.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4096
        // A refused connection is reported at once: the service decides when to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Nobody traces a daemon's requests, and each would begin a span.
        configuration.tracing.tracer = nil
        configuration.httpVersion = key.offersHTTP2 ? .automatic : .http1Only
        configuration.tlsConfiguration = trust.configuration(
            isInsecure: key.isInsecure, skipsHost: key.skipsHostVerification, minimum: key.minimumTLS,
            maximum: key.maximumTLS)
        configuration.http1_1ConnectionDebugInitializer = { [directory] channel in
            // A fixed large buffer: the kernel's copy is then the bound, not the number of reads.
            channel.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 256 << 10))
                .flatMapThrowing {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(ReusedConnectionGuard(), position: .first)
                    let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                    let heads = HeadMender()
                    try pipeline.addHandler(heads, position: .before(decoder))
                    try pipeline.addHandler(
                        ConnectionTap(directory: directory, heads: heads, security: context),
                        position: .after(decoder))
                }
        }
        if key.isFresh { configuration.maximumUsesPerConnection = 1 }
        if let proxy = key.proxy { configuration.proxy = Self.proxy(proxy) }
        return configuration
    }

    private static func proxy(_ choice: ProxyChoice) -> HTTPClient.Configuration.Proxy {
        switch choice.scheme {
        case .socks5: return .socksServer(host: choice.host, port: choice.port)
        case .http:
            guard let credentials = choice.credentials else { return .server(host: choice.host, port: choice.port) }
            return .server(
                host: choice.host, port: choice.port,
                authorization: .basic(username: credentials.user, password: credentials.password ?? ""))
        }
    }
}
