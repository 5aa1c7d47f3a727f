import DequeModule
import NIOCore

/// Writes what its channel receives to another channel of the same event loop, later and in order.
///
/// Bytes are delayed, not throttled, until a window is full: each byte is in the window from when it is read until its
/// acknowledgement would be back, two delays later. The window starts at ten segments and grows by what is acknowledged,
/// as in slow start without losses (RFC 6928).
final class DelayLine: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Item {
        case bytes(ByteBuffer)
        /// The channel has no more to give.
        case end
        /// The channel is gone.
        case gone
    }

    private static let largestRead = 256 << 10

    private let sink: any Channel
    private let delay: TimeAmount
    private let rate: Int?
    private let largestWindow: Int
    private let count: (Int) -> Void
    private let readSize: Int

    private var context: ChannelHandlerContext?
    private var line: Deque<(due: NIODeadline, item: Item)> = []
    /// When the last item of the line is due, at the earliest.
    private var last: NIODeadline
    private var window = 10 * 1448
    private var inFlight = 0
    private var reads = false

    /// - Parameters:
    ///   - start: what is received before is delayed as if it were received then.
    ///   - rate: bytes per second.
    ///   - count: called with the number of bytes that were written to the sink.
    init(
        to sink: any Channel, delay: TimeAmount, from start: NIODeadline, rate: Int?, window: Int,
        count: @escaping (Int) -> Void
    ) {
        self.sink = sink
        self.delay = delay
        self.rate = rate
        self.count = count
        last = start + delay
        // A capped path holds a twentieth of a second of its rate beside what is on its way.
        let held = rate.map { Int(Double($0) * (0.05 + Double(delay.nanoseconds) * 2 / 1e9)) }
        largestWindow = min(window, max(held ?? window, 10 * 1448))
        readSize = min(Self.largestRead, rate.map { max(4096, $0 / 100) } ?? Self.largestRead)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { readMore() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) { readMore() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        inFlight += bytes.readableBytes
        append(.bytes(bytes), taking: rate.map { .nanoseconds(Int64(bytes.readableBytes) * 1_000_000_000 / Int64($0)) })
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        reads = false
        readMore()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { append(.end) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        append(.gone)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: The line

    private func append(_ item: Item, taking time: TimeAmount? = nil) {
        let now = NIODeadline.now()
        last = max(now + delay, last) + (time ?? .zero)
        line.append((last, item))
        if last <= now { return deliver() }
        sink.eventLoop.assumeIsolated().scheduleTask(deadline: last) { self.deliver() }
    }

    /// Writes what is due.
    private func deliver() {
        let now = NIODeadline.now()
        while let first = line.first, first.due <= now {
            line.removeFirst()
            switch first.item {
            case .bytes(let bytes): write(bytes)
            case .end: sink.close(mode: .output, promise: nil)
            case .gone: sink.close(promise: nil)
            }
        }
        sink.flush()
    }

    private func write(_ bytes: ByteBuffer) {
        let size = bytes.readableBytes
        sink.write(bytes).assumeIsolated().whenSuccess {
            self.count(size)
            if self.delay == .zero { return self.acknowledge(size) }
            self.sink.eventLoop.assumeIsolated().scheduleTask(in: self.delay) { self.acknowledge(size) }
        }
    }

    // MARK: The window

    private func acknowledge(_ size: Int) {
        inFlight -= size
        window = min(largestWindow, window + size)
        readMore()
    }

    private func readMore() {
        let room = min(readSize, window - inFlight)
        guard !reads, let context, context.channel.isActive, room >= max(1, min(readSize, window) / 8) else { return }
        reads = true
        try? context.channel.syncOptions?.setOption(
            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: room))
        context.read()
    }
}
