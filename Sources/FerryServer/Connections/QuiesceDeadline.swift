// Ferry: FerryServer
// Bounds how long a connection can hold up the daemon's end.

import NIOCore

/// Closes a connection some time after the server was told to end, so that a client that does not read (stopped, or
/// hung) holds up nobody.
final class QuiesceDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var closing: Scheduled<Void>?

    init(limit: TimeAmount) { self.limit = limit }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, closing == nil {
            let channel = context.channel
            closing = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        closing?.cancel()
        context.fireChannelInactive()
    }
}
