// Ferry: FerryEngine
// The HTTP clients of the engine, one for each way of connecting.

import AsyncHTTPClient
import FerryCore
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The HTTP clients of the engine: connections are pooled, and never shared between ways of connecting that differ.
final class ClientPool: Sendable {
    /// What a connection depends on besides scheme, host and port.
    struct Key: Hashable, Sendable {
        var proxy: ProxyChoice?
        var isInsecure = false
        var offersHTTP2 = false
    }

    private struct State {
        var clients: [Key: HTTPClient] = [:]
        var isShutDown = false
    }

    private let group: MultiThreadedEventLoopGroup
    private let trust: TrustRoots
    private let timeouts: Timeouts
    private let state = Mutex(State())

    init(group: MultiThreadedEventLoopGroup, trust: TrustRoots, timeouts: Timeouts) {
        self.group = group
        self.trust = trust
        self.timeouts = timeouts
    }

    /// - Throws: ``TransferError`` with code `internal` once the pool was shut down.
    func client(_ key: Key) throws(TransferError) -> HTTPClient {
        let client = state.withLock { state -> HTTPClient? in
            guard !state.isShutDown else { return nil }
            if let client = state.clients[key] { return client }
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(group), configuration: configuration(key),
                backgroundActivityLogger: .init(label: "ferry.http", factory: { _ in NoLog() }))
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

    private func configuration(_ key: Key) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout = .init(connect: .nanoseconds(Int64(timeouts.connect * 1e9)))
        configuration.connectionPool.idleTimeout = .seconds(15)
        // A refused connection is reported at once: the service decides when to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = key.offersHTTP2 ? .automatic : .http1Only
        configuration.tlsConfiguration = trust.configuration(isInsecure: key.isInsecure)
        configuration.http1_1ConnectionDebugInitializer = { channel in
            // A fixed large buffer: the kernel's copy is then the bound, not the number of reads.
            channel.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 256 << 10))
                .flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(ReusedConnectionGuard(), position: .first)
                }
        }
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
