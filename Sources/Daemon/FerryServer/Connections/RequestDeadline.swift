import FerryCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Enforces the deadlines of ``RequestPhase`` on each connection, and refuses bodies beyond the byte budget.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var phase: RequestPhase
    private var alarm: Scheduled<Void>?
    private let budget: BodyBudget
    /// Bytes of unanswered requests.
    private var held = 0

    private let bodyBytes: Int

    init(_ limits: RequestPhase.Limits, _ budget: BodyBudget) {
        bodyBytes = limits.bodyBytes
        phase = RequestPhase(limits)
        self.budget = budget
    }

    func channelActive(context: ChannelHandlerContext) {
        perform(phase.connected(), context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
        release()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let action =
            switch unwrapInboundIn(data) {
            case .head: phase.headCame()
            case .body(let bytes): take(bytes.readableBytes)
            case .end: phase.requestEnded()
            }
        perform(action, context)
        switch action {
        case .drop, .refuse, .close: break
        case .nothing, .limit, .noLimit: context.fireChannelRead(data)
        }
    }

    private func take(_ count: Int) -> RequestPhase.Action {
        let action = phase.bytesCame(count)
        guard action == .nothing else { return action }
        guard budget.take(count) else { return phase.roomEnded() }
        held += count
        return .nothing
    }

    private func release() {
        budget.giveBack(held)
        held = 0
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Dropped bytes reach no later handler, so none requests the next read.
        if phase.isDraining { context.read() }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        guard case .end = unwrapOutboundIn(data) else { return }
        perform(phase.answerEnded(), context)
        if phase.isAnswered { release() }
        if phase.isDraining { context.read() }
    }

    private func perform(_ action: RequestPhase.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .nothing, .drop: break
        case .limit(let time): setAlarm(time, context)
        case .noLimit:
            alarm?.cancel()
            alarm = nil
        case .refuse(let cause, let time):
            setAlarm(time, context)
            context.fireErrorCaught(failure(cause))
        case .close:
            alarm?.cancel()
            context.close(promise: nil)
        }
    }

    private func failure(_ cause: RequestPhase.Cause) -> APIFailure {
        switch cause {
        case .late:
            APIFailure(
                .requestTimeout, "The body of the request did not arrive in time.", headers: [.connection: "close"])
        case .tooLarge:
            APIFailure(
                .contentTooLarge, "The body has more than \(bodyBytes >> 20) MiB.", headers: [.connection: "close"])
        case .noRoom:
            APIFailure(
                .serviceUnavailable,
                ServiceError(
                    .daemonUnreachable, "The daemon cannot accept more requests until it has answered others."),
                headers: [.connection: "close"])
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
