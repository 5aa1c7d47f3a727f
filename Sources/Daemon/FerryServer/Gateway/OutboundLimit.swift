import NIOCore

/// Tracks a connection's unsent bytes, and closes the connection if its client reads nothing for some time.
///
/// Placed next to the socket, so that responses, streams and frames count equally, including the TLS overhead.
final class OutboundLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Long responses are written in pieces of this many bytes, to distinguish a slow client from one that reads
    /// nothing.
    private static let piece = 64 << 10

    private let budget: OutboundBudget
    private let patience: TimeAmount
    private var number: Int?
    private var unsent = 0
    private var alarm: Scheduled<Void>?

    /// - Parameter patience: Time within which a client must read some of the sent bytes.
    init(_ budget: OutboundBudget, patience: TimeAmount) {
        self.budget = budget
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        number = budget.enter { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = unwrapOutboundIn(data)
        while bytes.readableBytes > Self.piece, let piece = bytes.readSlice(length: Self.piece) {
            write(piece, context, context.eventLoop.makePromise())
        }
        write(bytes, context, promise ?? context.eventLoop.makePromise())
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>) {
        let count = bytes.readableBytes
        unsent += count
        if let number { budget.add(count, to: number) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            let (handler, context) = bound.value
            handler.wasTaken(count, context)
        }
        if alarm == nil { setAlarm(context) }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    private func wasTaken(_ count: Int, _ context: ChannelHandlerContext) {
        guard let number else { return }
        unsent -= count
        budget.take(count, of: number)
        alarm?.cancel()
        alarm = nil
        if unsent > 0 { setAlarm(context) }
    }

    private func setAlarm(_ context: ChannelHandlerContext) {
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }

    private func leave() {
        alarm?.cancel()
        alarm = nil
        if let number { budget.leave(number) }
        number = nil
    }
}
