import NIOCore
import NIOHTTP1
import Synchronization

/// The connections that wait for a complete request, in the order in which they began to wait.
///
/// When all slots are taken, the one that has waited longest is closed for a new one, as nginx does with idle
/// connections. So slow clients do not keep others out.
final class WaitingConnections: Sendable {
    private struct State {
        var last = 0
        var waiting: [ObjectIdentifier: (since: Int, channel: any Channel)] = [:]
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        state.withLock { state in
            state.last += 1
            state.waiting[ObjectIdentifier(channel)] = (state.last, channel)
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes the connection that has waited longest. Returns false if none waits.
    func closeOldest() -> Bool {
        let oldest: (any Channel)? = state.withLock { state in
            guard let oldest = state.waiting.min(by: { $0.value.since < $1.value.since }) else { return nil }
            state.waiting[oldest.key] = nil
            return oldest.value.channel
        }
        oldest?.close(promise: nil)
        return oldest != nil
    }
}

/// Notes when its connection waits for a request: until the end of the first one, and from each response on.
final class RequestWait: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: WaitingConnections
    /// Number of complete requests without a complete response.
    private var unanswered = 0

    init(_ connections: WaitingConnections) { self.connections = connections }

    func channelActive(context: ChannelHandlerContext) {
        connections.add(context.channel)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            unanswered += 1
            connections.remove(context.channel)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            // An error may be the response to an incomplete request.
            unanswered = max(0, unanswered - 1)
            // A response may also come after its client has left.
            if unanswered == 0, context.channel.isActive { connections.add(context.channel) }
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connections.remove(context.channel)
        context.fireChannelInactive()
    }

    /// The connection has become a WebSocket.
    func handlerRemoved(context: ChannelHandlerContext) { connections.remove(context.channel) }
}
