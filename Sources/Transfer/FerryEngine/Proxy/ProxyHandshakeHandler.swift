import NIOCore
import NIOTLS

/// A handler that holds a connection during its establishment and is removed afterwards.
///
/// The HTTP client takes over a connection when the engine's future succeeds. It must be notified of a failure before
/// the connection's close, so these handlers fail their promises during the event.
protocol EstablishmentHandler: ChannelInboundHandler, RemovableChannelHandler {
    /// Completed once, when the handler has succeeded or the connection is unusable.
    var established: EventLoopPromise<Void> { get }
}

extension EstablishmentHandler {
    // The promise passes the error on. The HTTP client's handlers must not get it, as they have no request yet.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { established.fail(error) }

    func channelInactive(context: ChannelHandlerContext) {
        established.fail(ChannelError.inputClosed)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { established.fail(ChannelError.inputClosed) }
}

/// Performs a proxy handshake on a connection.
final class ProxyHandshakeHandler: EstablishmentHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let established: EventLoopPromise<Void>
    /// The handshake, once the origin's name is resolved if necessary.
    private let ready: EventLoopFuture<any ProxyHandshake>
    private var handshake: (any ProxyHandshake)?
    private var received = ByteBuffer()
    private var isOver = false

    init(_ ready: EventLoopFuture<any ProxyHandshake>, established: EventLoopPromise<Void>) {
        self.ready = ready
        self.established = established
    }

    func handlerAdded(context: ChannelHandlerContext) {
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
        guard !isOver else { return }
        guard var handshake else { return end(.failure(ProxyRefusal.malformed("it sends before it is asked"))) }
        var part = unwrapInboundIn(data)
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
            // The origin waits for the client to send first.
            guard received.readableBytes == 0 else { throw .malformed("it sends more than its response") }
            end(.success(()))
        } catch {
            end(.failure(error))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(.failure(ChannelError.inputClosed)) }

    private func end(_ result: Result<Void, any Error>) {
        guard !isOver else { return }
        isOver = true
        established.completeWith(result)
    }
}

/// Waits for the end of the TLS handshake below it.
final class TLSHandshakeWait: EstablishmentHandler {
    typealias InboundIn = Never

    let established: EventLoopPromise<Void>

    init(_ established: EventLoopPromise<Void>) { self.established = established }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { established.succeed() }
        context.fireUserInboundEventTriggered(event)
    }
}
