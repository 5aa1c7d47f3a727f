import FerryCore
import FerryRules
import NIOCore

/// A proxy's tunnel to the origin, opened by CONNECT or SOCKS 5.
struct TunnelStep: ConnectionStep {
    let proxy: ProxyChoice
    let target: TunnelTarget
    let names: NameResolver

    func perform(_ setup: ConnectionSetup) -> EventLoopFuture<Void> {
        let established = setup.loop.makePromise(of: Void.self)
        let handler = ProxyHandshakeHandler(
            handshake(in: setup.target.key.scope, on: setup.loop), mayBeFollowed: setup.target.key.isStream,
            established: established)
        do { try setup.add([], gate: handler) } catch { established.fail(error) }
        return established.futureResult
            .flatMapErrorThrowing { error in
                if case ConnectionFailure.outOfScope = error { throw error }
                throw ProxyFailure(proxy, target, Self.cause(error))
            }
    }

    private static func cause(_ error: any Error) -> ProxyFailure.Cause {
        switch error {
        case let refusal as ProxyRefusal: .refused(refusal)
        case let unknown as NameCache.Failure: .unknownHost(unknown)
        default: ProxyFailure.isEnd(error) ? .closed : .broken(error)
        }
    }

    private func handshake(in scope: AddressScope, on loop: any EventLoop) -> EventLoopFuture<any ProxyHandshake> {
        switch (proxy.scheme, SOCKSHandshake.Address(host: target.host)) {
        case (.http, _), (.https, _):
            return loop.makeSucceededFuture(ConnectHandshake(target: target, credentials: proxy.credentials))
        case (.socks5, .name(let name)):
            return names.addresses(of: name, on: loop).flatMapThrowing { addresses in
                let known = addresses.compactMap { IPAddress($0) }
                guard let address = known.first(where: scope.contains) else {
                    throw known.isEmpty ? NameCache.Failure.notFound : ConnectionFailure.outOfScope(scope)
                }
                return socks(.address(address))
            }
        case (.socks5, let address), (.socks5h, let address):
            return loop.makeSucceededFuture(socks(address))
        }
    }

    private func socks(_ address: SOCKSHandshake.Address) -> any ProxyHandshake {
        SOCKSHandshake(address: address, port: target.port, credentials: proxy.credentials)
    }
}

/// Performs a proxy handshake on a connection. Of an origin that waits for the client to send first, it holds back nothing
/// after it.
final class ProxyHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler, ReadGate {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let established: EventLoopPromise<Void>
    /// The handshake, once the origin's name is resolved if necessary.
    private let ready: EventLoopFuture<any ProxyHandshake>
    private var handshake: (any ProxyHandshake)?
    private var context: ChannelHandlerContext?
    private var received = ByteBuffer()
    private var isOver = false
    private let mayBeFollowed: Bool

    /// - Parameter mayBeFollowed: Whether the origin may send before it is asked.
    init(
        _ ready: EventLoopFuture<any ProxyHandshake>, mayBeFollowed: Bool, established: EventLoopPromise<Void>
    ) {
        self.mayBeFollowed = mayBeFollowed
        self.ready = ready
        self.established = established
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        ready.assumeIsolated().whenComplete { result in
            guard !self.isOver else { return }
            switch result {
            case .success(var handshake):
                let first = handshake.begin()
                self.handshake = handshake
                context.writeAndFlush(self.wrapOutboundOut(first), promise: nil)
            case .failure(let error): self.end(.failure(error))
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        guard !isOver else {
            // Bytes after the handshake are the origin's.
            guard mayBeFollowed else { return context.close(promise: nil) }
            received.writeBuffer(&part)
            return
        }
        guard var handshake else { return end(.failure(ProxyRefusal.malformed("it sends before it is asked"))) }
        received.discardReadBytes()
        received.writeBuffer(&part)
        do throws(ProxyRefusal) {
            var step = try handshake.receive(&received)
            while case .send(let bytes) = step {
                context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
                step = try handshake.receive(&received)
            }
            self.handshake = handshake
            guard step == .done else { return }
            guard received.readableBytes == 0 || mayBeFollowed else {
                throw .malformed("it sends more than its response")
            }
            end(.success(()))
        } catch {
            end(.failure(error))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.failure(error)) }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ChannelError.inputClosed))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end(.failure(ChannelError.inputClosed))
    }

    func open() {
        guard let context else { return }
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func end(_ result: Result<Void, any Error>) {
        guard !isOver else { return }
        isOver = true
        established.completeWith(result)
    }
}
