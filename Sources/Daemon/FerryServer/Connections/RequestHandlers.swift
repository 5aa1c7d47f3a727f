import NIOCore
import NIOHTTP1

/// Inserts the handlers that limit connections and requests at the point in the pipeline where requests are still
/// HTTP/1.1.
final class RequestHandlers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let limit: ConnectionLimit
    private let limits: RequestPhase.Limits
    private let budget: BodyBudget

    init(_ limit: ConnectionLimit, _ limits: RequestPhase.Limits, _ budget: BodyBudget) {
        self.limit = limit
        self.limits = limits
        self.budget = budget
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandlers(
                [RequestDeadline(limits, budget), ConnectionPlace(limit)], position: .after(decoder))
        } catch {
            // Without its limits, the connection must not stay open.
            context.close(promise: nil)
        }
    }
}

/// Closes a connection some time after the server began to shut down, so that a client that does not read (stopped or
/// hung) does not hold up other clients.
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
