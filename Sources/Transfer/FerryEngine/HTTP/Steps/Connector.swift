import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections, step by step: the addresses of a name, the socket, the proxy, TLS, and the agreed protocol.
final class Connector: Sendable {
    let names: NameResolver
    let contexts: TLSContexts
    private let timeouts: Timeouts

    init(names: NameResolver, contexts: TLSContexts, timeouts: Timeouts) {
        self.names = names
        self.contexts = contexts
        self.timeouts = timeouts
    }

    /// Opens a connection, and calls back once with it or with the error. Call it on the event loop.
    func open(
        _ id: ConnectionPool.ConnectionID, to target: ConnectionTarget, on loop: any EventLoop,
        owner: any HTTPConnectionOwner,
        _ opened: @escaping (Result<any HTTPConnection, any Error>) -> Void
    ) {
        let setup = ConnectionSetup(target, loop)
        let bound = NIOLoopBound(setup, eventLoop: loop)
        let result = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: .wait(timeouts.connect)) { [timeouts] in
            guard let proxy = target.key.proxy, bound.value.channel != nil else {
                return result.fail(ConnectionFailure.timedOut)
            }
            result.fail(ProxyFailure(proxy, target.tunnel, .timedOut(seconds: timeouts.connect)))
        }
        contexts.contexts(of: target, on: loop)
            .flatMap { [self] contexts in
                dial(target, on: loop, bound).flatMap {
                    self.limitHandshakes(with: target, bound, result)
                    return self.steps(to: target, contexts).reduce(loop.makeSucceededVoidFuture()) { ready, step in
                        ready.flatMap { step.perform(bound.value) }
                    }
                }
            }
            .cascade(to: result)
        let owner = NIOLoopBound(owner, eventLoop: loop)
        let opened = NIOLoopBound(opened, eventLoop: loop)
        result.futureResult.whenComplete { [names] result in
            timer.cancel()
            let setup = bound.value
            do {
                try result.get()
                let connection = try setup.connection(id, owner.value)
                if let address = setup.address { names.prefer(address, for: target.host) }
                opened.value(.success(connection))
            } catch {
                setup.close()
                if let address = setup.address, target.key.proxy == nil, error.isSilence {
                    names.silent(address, for: target.host)
                }
                opened.value(.failure(error))
            }
        }
    }

    /// Ends the handshakes early while an address of another family is left, so that there is time to try it.
    private func limitHandshakes(
        with target: ConnectionTarget, _ setup: NIOLoopBound<ConnectionSetup>, _ result: EventLoopPromise<Void>
    ) {
        guard setup.value.address != nil, target.isSecure, target.key.proxy == nil,
            names.isUnproven(target.host, target.key.family)
        else {
            return
        }
        let loop = setup.value.loop
        let seconds = min(timeouts.unproven, timeouts.connect / 2)
        let timer = loop.scheduleTask(in: .wait(seconds)) { result.fail(ConnectionFailure.timedOut) }
        result.futureResult.whenComplete { _ in timer.cancel() }
    }

    // MARK: The socket

    /// Connects to the first address that accepts (RFC 8305).
    private func dial(
        _ target: ConnectionTarget, on loop: any EventLoop, _ setup: NIOLoopBound<ConnectionSetup>
    ) -> EventLoopFuture<Void> {
        names.addresses(of: target.host, on: loop, atMost: timeouts.connect).flatMapThrowing { all in
            let addresses = all.filter { $0.isOf(target.key.family) }
            if let family = target.key.family, addresses.isEmpty { throw ConnectionFailure.noAddress(family) }
            // The proxy's own address is the user's choice. What it connects to is judged elsewhere.
            let scope = target.key.scope
            guard scope != .any, target.key.proxy == nil else { return addresses }
            let allowed = addresses.filter { $0.isIn(scope) }
            if allowed.isEmpty, !addresses.isEmpty { throw ConnectionFailure.outOfScope(scope) }
            return allowed
        }.flatMap { [names, timeouts] addresses in
            let known = KnownAddresses(addresses, port: target.port, loop: loop)
            return ClientBootstrap(group: loop)
                .connectTimeout(.wait(timeouts.connect))
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.recvAllocator, value: Self.readBuffer)
                .resolver(known)
                .connect(host: target.host, port: target.port)
                .flatMapThrowing { channel in
                    let address = addresses.count > 1 ? known.name(of: channel.remoteAddress) : nil
                    try setup.value.connected(channel, at: address)
                }
                .flatMapErrorThrowing { error in
                    // The server may have moved.
                    if error.isOfConnecting { names.forget(target.host) }
                    throw error
                }
        }
    }

    /// With a large buffer the kernel's copy is the bottleneck, not the number of reads. Small responses need none.
    private static let readBuffer = AdaptiveRecvByteBufferAllocator(
        minimum: 16 << 10, initial: 32 << 10, maximum: 256 << 10)

    // MARK: Streams

    /// Opens a connection for an app's own protocol, without TLS to the origin. Fails with the error.
    func openStream(
        to target: ConnectionTarget, on loop: any EventLoop
    ) -> EventLoopFuture<NIOLoopBound<ConnectionSetup>> {
        loop.flatSubmit { [self] in
            let bound = NIOLoopBound(ConnectionSetup(target, loop), eventLoop: loop)
            let result = loop.makePromise(of: Void.self)
            let timer = loop.scheduleTask(in: .wait(timeouts.connect)) { result.fail(ConnectionFailure.timedOut) }
            contexts.contexts(of: target, on: loop).flatMap { [self] contexts in
                let way = TLSContexts.Pair(origin: nil, proxy: contexts.proxy)
                return dial(target, on: loop, bound).flatMap {
                    self.steps(to: target, way).reduce(loop.makeSucceededVoidFuture()) { ready, step in
                        ready.flatMap { step.perform(bound.value) }
                    }
                }
            }.cascade(to: result)
            return result.futureResult.map {
                timer.cancel()
                // The app may still send after the peer has sent its last byte.
                bound.value.channel?.setOption(.allowRemoteHalfClosure, value: true).whenFailure { _ in }
                return bound
            }.flatMapErrorThrowing { error in
                timer.cancel()
                bound.value.close()
                throw error
            }
        }
    }

    /// Performs the TLS handshake of a stream. The caller decides about the certificates. Call it on the event loop.
    func secure(_ setup: ConnectionSetup) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(setup, eventLoop: setup.loop)
        let result = setup.loop.makePromise(of: Void.self)
        let timer = setup.loop.scheduleTask(in: .wait(timeouts.connect)) { result.fail(ConnectionFailure.timedOut) }
        contexts.contexts(of: setup.target, on: setup.loop).flatMap { contexts in
            guard let context = contexts.origin, let origin = bound.value.target.origin else {
                return bound.value.loop.makeFailedFuture(ChannelError.inappropriateOperationForState)
            }
            return TLSStep(context: context, host: origin.host, verification: .asked(origin.host), proxy: nil)
                .perform(bound.value)
        }.cascade(to: result)
        result.futureResult.whenComplete { _ in timer.cancel() }
        return result.futureResult
    }

    // MARK: The handshakes

    private func steps(to target: ConnectionTarget, _ contexts: TLSContexts.Pair) -> [any ConnectionStep] {
        var steps: [any ConnectionStep] = []
        if let proxy = target.key.proxy {
            if let context = contexts.proxy {
                steps.append(
                    TLSStep(context: context, host: proxy.host, verification: .named(proxy.host), proxy: proxy))
            }
            if target.origin != nil { steps.append(TunnelStep(proxy: proxy, target: target.tunnel, names: names)) }
        }
        if let context = contexts.origin, let origin = target.origin {
            steps.append(TLSStep(context: context, host: origin.host, verification: .init(target, origin), proxy: nil))
        }
        return steps
    }
}

/// A step between the socket and a connection that is ready for requests.
protocol ConnectionStep: Sendable {
    /// Performs the step on the event loop. The error says what failed.
    func perform(_ setup: ConnectionSetup) -> EventLoopFuture<Void>
}

/// A connection that is being established. Used on its event loop only.
final class ConnectionSetup {
    let target: ConnectionTarget
    let loop: any EventLoop
    private(set) var channel: (any Channel)?
    var facts = ConnectionFacts()
    /// The protocol that TLS has agreed on.
    var agreed: String?
    private(set) var address: String?
    private var gate: (any ReadGate)?
    private var isClosed = false

    init(_ target: ConnectionTarget, _ loop: any EventLoop) {
        self.target = target
        self.loop = loop
    }

    /// - Parameter address: The address if the host has several.
    func connected(_ channel: any Channel, at address: String?) throws {
        self.address = address
        guard !isClosed else {
            channel.close(promise: nil)
            throw ChannelError.ioOnClosedChannel
        }
        self.channel = channel
    }

    /// Adds handlers on top of the existing ones, which then pass on what has arrived meanwhile.
    func add(_ handlers: [any ChannelHandler], gate next: (any ReadGate)? = nil) throws {
        guard let channel else { throw ChannelError.ioOnClosedChannel }
        try channel.pipeline.syncOperations.addHandlers(handlers + (next.map { [$0] } ?? []))
        gate?.open()
        gate = next
    }

    /// Makes the established channel a connection.
    func connection(
        _ id: ConnectionPool.ConnectionID, _ owner: any HTTPConnectionOwner
    ) throws -> any HTTPConnection {
        guard let channel, channel.isActive else { throw ChannelError.ioOnClosedChannel }
        facts.connected = facts.secureEnd ?? Date()
        facts.local = channel.localAddress
        facts.remote = channel.remoteAddress
        if agreed == "h2" {
            let connection = HTTP2Connection(id, facts, owner: owner, on: channel)
            try add(connection.handlers)
            return connection
        }
        let connection = HTTP1Connection(id, facts, owner: owner)
        try add(connection.handlers)
        return connection
    }

    func close() {
        isClosed = true
        channel?.close(promise: nil)
    }
}

/// A resolver that returns known addresses, in their order.
private final class KnownAddresses: Resolver, Sendable {
    private let addresses: [(name: String, address: SocketAddress)]
    private let loop: any EventLoop

    init(_ addresses: [String], port: Int, loop: any EventLoop) {
        self.addresses = addresses.compactMap { name in
            (try? SocketAddress(ipAddress: name, port: port)).map { (name, $0) }
        }
        self.loop = loop
    }

    func name(of address: SocketAddress?) -> String? { addresses.first { $0.address == address }?.name }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { loop.makeSucceededFuture([]) }

    // One list for all families keeps the order: an address that worked before comes first.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.map(\.address))
    }

    func cancelQueries() {}
}

extension Error {
    /// Whether a peer has closed or not answered the connection before it said anything.
    fileprivate var isSilence: Bool {
        switch self {
        case let failure as ConnectionFailure: failure == .timedOut
        case is IOError, is ChannelError: true
        case let error as NIOSSLError:
            switch error {
            case .uncleanShutdown: true
            case .handshakeFailed(let reason): "\(reason)".contains("EOF") || "\(reason)".contains("syscall")
            default: false
            }
        default: false
        }
    }

    /// Whether connecting to all addresses failed.
    fileprivate var isOfConnecting: Bool {
        switch self {
        case is NIOConnectionError: true
        case let error as ChannelError: if case .connectTimeout = error { true } else { false }
        default: false
        }
    }
}
