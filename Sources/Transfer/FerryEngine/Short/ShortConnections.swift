import FerryCore
import FerryRules
import NIOCore
import NIOPosix
import Synchronization

/// Plain HTTP/1.1 connections for responses that fit in memory, each with one request at a time.
///
/// They do less for each request than the general HTTP client, which matters for thousands of small files of a server.
final class ShortConnections: Sendable {
    /// Requests share a connection only if their origins and addresses are equal. Two origins may have one address, and
    /// no byte of one of them may answer a request to the other.
    struct Key: Hashable, Sendable {
        let origin: Origin
        let address: SocketAddress
    }

    private struct State {
        var idle: [Key: [any Channel]] = [:]
        var isShutDown = false
    }

    /// Time after which an unused connection is closed. The HTTP client's connections have the same.
    private static let idleTime = TimeAmount.seconds(15)
    /// Time after which a connection is left to the HTTP client, which tries all addresses of the host.
    private static let connectTimeout = TimeAmount.seconds(1)

    let loop: any EventLoop
    private let state = Mutex(State())

    init(loop: any EventLoop) { self.loop = loop }

    /// Sends a request on an idle connection, or on a new one. Call it on the event loop.
    func send(_ request: ShortRequest) {
        while let channel = state.withLock({ $0.idle[request.key]?.popLast() }) {
            guard channel.isActive else { continue }
            guard !channel.hasUnreadInput else {
                channel.close(promise: nil)
                continue
            }
            return write(request, to: channel)
        }
        guard !state.withLock(\.isShutDown) else { return request.isUnanswered() }
        ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [self, key = request.key] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTime))
                    try pipeline.addHandler(
                        ShortConnection(
                            isIdle: { [weak self] in self?.keep($0, for: key) },
                            isClosed: { [weak self] in self?.forget($0, for: key) }))
                }
            }
            .connect(to: request.key.address)
            .whenComplete { result in
                switch result {
                case .success(let channel): self.write(request, to: channel)
                case .failure: request.isUnanswered()
                }
            }
    }

    private func write(_ request: ShortRequest, to channel: any Channel) {
        channel.write(request).whenFailure { _ in request.isUnanswered() }
    }

    private func keep(_ channel: any Channel, for key: Key) {
        let isKept = state.withLock { state in
            guard !state.isShutDown else { return false }
            state.idle[key, default: []].append(channel)
            return true
        }
        if !isKept { channel.close(promise: nil) }
    }

    private func forget(_ channel: any Channel, for key: Key) {
        state.withLock { state in
            state.idle[key]?.removeAll { $0 === channel }
            if state.idle[key]?.isEmpty == true { state.idle[key] = nil }
        }
    }

    /// Closes the idle connections. Later requests are left to the HTTP client.
    func shutdown() {
        let idle = state.withLock { state in
            state.isShutDown = true
            defer { state.idle = [:] }
            return state.idle.values.flatMap(\.self)
        }
        for channel in idle { channel.close(promise: nil) }
    }
}

/// One connection: writes a request, and reads its response.
private final class ShortConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ShortRequest
    typealias OutboundOut = ByteBuffer

    private let isIdle: (any Channel) -> Void
    private let isClosed: (any Channel) -> Void
    private var request: ShortRequest?
    private var response = ShortResponse()

    /// - Parameters:
    ///   - isIdle: Called when the connection can take another request.
    ///   - isClosed: Called when it has closed.
    init(isIdle: @escaping (any Channel) -> Void, isClosed: @escaping (any Channel) -> Void) {
        (self.isIdle, self.isClosed) = (isIdle, isClosed)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let next = unwrapOutboundIn(data)
        guard next.take(context.channel) else {
            promise?.succeed()
            return isIdle(context.channel)
        }
        request = next
        response = ShortResponse()
        context.writeAndFlush(wrapOutboundOut(next.bytes), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing was requested.
        guard let request else { return context.close(promise: nil) }
        request.received()
        switch response.take(unwrapInboundIn(data)) {
        case .incomplete: break
        case .unusual: giveUp(context)
        case .whole(let head, let body):
            self.request = nil
            if head.isKeepAlive { isIdle(context.channel) } else { context.close(promise: nil) }
            request.answered(ReceivedResponse(head: head, body: body))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The timeouts of a request are those of its exchange.
        if event is IdleStateHandler.IdleStateEvent, request == nil { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { giveUp(context) }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed(context.channel)
        giveUp(context)
        context.fireChannelInactive()
    }

    private func giveUp(_ context: ChannelHandlerContext) {
        let unanswered = request
        request = nil
        context.close(promise: nil)
        unanswered?.isUnanswered()
    }
}
