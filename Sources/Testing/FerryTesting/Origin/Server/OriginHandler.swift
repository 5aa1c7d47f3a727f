import FerryCore
import NIOCore
import NIOSSL

/// Reads requests one after another and performs the planned steps of each.
final class OriginHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Maximum size of a body piece written at once, in bytes.
    private static let pieceSize = 128 << 10

    private let state: OriginState
    private let raw: RawConnection
    private var reader = RequestReader()
    private var context: ChannelHandlerContext?
    private var connection = 0
    /// The remaining steps of the response in progress, or `nil` between responses.
    private var steps: ArraySlice<OriginStep>?
    private var request = 0
    /// Due time of the next piece of a paced body.
    private var due: NIODeadline?

    /// Whether no response is in progress.
    var isIdle: Bool { steps == nil }

    init(state: OriginState, raw: RawConnection) {
        self.state = state
        self.raw = raw
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { opened(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
        context.fireChannelActive()
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard connection == 0 else { return }
        guard state.connections.add(context.channel) else { return raw.close() }
        connection = state.connectionOpened()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        answerEnded()
        if connection > 0 {
            state.connections.remove(context.channel)
            state.connectionClosed()
        }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Failed handshakes and disconnecting peers are expected here.
        raw.close()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(unwrapInboundIn(data))
        answerNext()
    }

    // MARK: Answers

    private func answerNext() {
        guard steps == nil, let received = reader.next(connection: connection) else { return }
        let (number, planned) = state.requestArrived(received)
        request = number
        steps = planned[...]
        perform()
    }

    private func answerEnded() {
        guard steps != nil else { return }
        steps = nil
        due = nil
        state.responseEnded()
    }

    /// Performs the next step. Each step calls this again when it is done.
    private func perform() {
        guard let context, steps != nil else { return }
        guard let step = steps?.popFirst() else {
            answerEnded()
            return answerNext()
        }
        switch step {
        case .send(let bytes):
            write(context) {
                $0.writeBytes(bytes)
            } then: {
                $0.perform()
            }
        case .body(let content, let pace, let chunked):
            send(content, pace: pace, chunked: chunked)
        case .pause(let duration):
            after(TimeAmount(duration)) { $0.perform() }
        case .hold(let name):
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            state.pass(name) { handler.eventLoop.execute { handler.value.perform() } }
        case .forever(let bytes, let interval):
            repeatForever(bytes, every: interval)
        case .stall:
            break
        case .close:
            context.close(promise: nil)
        case .closeWithoutNotify:
            raw.close()
        case .reset:
            raw.reset()
        }
    }

    private func send(_ content: OriginContent, pace: OriginPace?, chunked: Bool) {
        guard let context, content.count > 0 else { return perform() }
        let (piece, rest) = content.split(at: Int64(min(pace?.bytes ?? Self.pieceSize, Self.pieceSize)))
        write(context) { buffer in
            if chunked { buffer.writeString(String(piece.count, radix: 16) + "\r\n") }
            piece.write(into: &buffer)
            if chunked { buffer.writeString("\r\n") }
            // In one write, so that a client that has received all of the response has received what follows it too.
            while rest.count == 0, case .send(let bytes)? = steps?.first {
                buffer.writeBytes(bytes)
                steps?.removeFirst()
            }
        } then: { handler in
            handler.state.bodyBytesSent(piece.count, request: handler.request)
            // Returning to the event loop bounds the stack when writes complete immediately.
            handler.after(handler.delay(of: pace)) { $0.send(rest, pace: pace, chunked: chunked) }
        }
    }

    /// Returns the time until the next piece, measured from the last due time, so that late timers do not lower the
    /// rate.
    private func delay(of pace: OriginPace?) -> TimeAmount {
        guard let pace else { return .zero }
        let now = NIODeadline.now()
        // Prevents a burst after the peer has not read for a while.
        let last = max(due ?? now, now - .milliseconds(100))
        let next = last + TimeAmount(pace.interval)
        due = next
        return max(.zero, next - now)
    }

    private func repeatForever(_ bytes: [UInt8], every interval: Duration) {
        guard let context else { return }
        write(context) {
            $0.writeBytes(bytes)
        } then: { handler in
            handler.after(TimeAmount(interval)) { $0.repeatForever(bytes, every: interval) }
        }
    }

    // MARK: Primitives

    private func write(
        _ context: ChannelHandlerContext, _ fill: (inout ByteBuffer) -> Void,
        then next: @escaping (OriginHandler) -> Void
    ) {
        var buffer = context.channel.allocator.buffer(capacity: Self.pieceSize + 64)
        fill(&buffer)
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { result in
            guard case .success = result, self.context != nil else { return }
            next(self)
        }
    }

    private func after(_ delay: TimeAmount, _ next: @escaping (OriginHandler) -> Void) {
        guard let context else { return }
        let loop = context.eventLoop.assumeIsolated()
        if delay == .zero {
            loop.execute { next(self) }
        } else {
            loop.scheduleTask(in: delay) { next(self) }
        }
    }
}
