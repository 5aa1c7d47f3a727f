import HTTPTypes
import NIOCore
import NIOHTTP1

/// Ends connections whose clients take too long for their requests, as ``RequestPhase`` decides.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var phase: RequestPhase
    private var alarm: Scheduled<Void>?

    init(_ limits: RequestPhase.Limits = RequestPhase.Limits()) { phase = RequestPhase(limits) }

    func channelActive(context: ChannelHandlerContext) {
        perform(phase.connected(), context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let action =
            switch unwrapInboundIn(data) {
            case .head: phase.headCame()
            case .body(let bytes): phase.bytesCame(bytes.readableBytes)
            case .end: phase.requestEnded()
            }
        perform(action, context)
        if action != .drop, action != .close { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nobody asks for bytes that are not handed on.
        if phase.isDraining { context.read() }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end = unwrapOutboundIn(data) else { return }
        perform(phase.answerEnded(), context)
        if phase.isDraining { context.read() }
    }

    private func perform(_ action: RequestPhase.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .nothing, .drop: break
        case .limit(let time): setAlarm(time, context)
        case .noLimit:
            alarm?.cancel()
            alarm = nil
        case .refuse(let time):
            setAlarm(time, context)
            context.fireErrorCaught(
                APIFailure(
                    .requestTimeout, "The body of the request did not come in time.", headers: [.connection: "close"]))
        case .close:
            alarm?.cancel()
            context.close(promise: nil)
        }
    }

    private func setAlarm(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        alarm?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        alarm = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            handler.perform(handler.phase.limitPassed(), context)
        }
    }
}
