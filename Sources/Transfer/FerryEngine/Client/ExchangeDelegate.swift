import FerryCore
import NIOCore
import Synchronization

/// Carries one request and its response for an exchange. Reports to the exchange's delegate.
protocol ExchangeTransport: AnyObject, Sendable {
    /// Completed once the exchange has finished.
    var futureResult: EventLoopFuture<Void> { get }
    /// Whether a connection has taken the request.
    var isAsked: Bool { get }
    /// Whether that connection speaks HTTP/2.
    var isOverHTTP2: Bool { get }
    /// Starts the request. Call it once.
    func begin()
    /// Ends the exchange.
    func fail(reason error: any Error)
}

/// Receives one response from its transport, on the event loop of its connection.
///
/// Parts received before the head is judged wait here, so that no byte is written too early
/// (docs/behaviour/transfers.md#R7). They still count if the connection closes meanwhile, while the client would drop
/// parts it has not delivered. After the head is judged, the transport holds each part back until the future of the
/// previous part completes.
final class ExchangeDelegate: ResponseReceiver {
    /// Destinations of a body.
    enum Body {
        case sink(BodySink)
        /// The first bytes are kept as text for an error's details.
        case text(ByteBuffer, limit: Int)
        /// Kept in memory up to a size. Further bytes are dropped.
        case gathered(ByteBuffer, size: Int, dropped: Int, TransferProgress)
        /// Held back at the sender until the queue's reader requests the next part.
        case handed(PartQueue)
        /// Dropped, to reuse the connection.
        case dropped(Int)
    }

    private struct State {
        var head: EventLoopPromise<ReceivedHead>?
        /// Whether the received head has a status of success.
        var isSuccess = false
        var body: Body?
        /// Parts received before the head is judged.
        var early: CircularBuffer<ByteBuffer> = []
        var earlyBytes = 0
        /// Whether the complete response was received.
        var isWhole = false
        var trailers: [HeaderField] = []
        /// Whether parts are passed to the body at once.
        var isOpen = false
        /// The engine's own decision to end the exchange. Waiting parts are not taken afterwards.
        var stopped: ServiceError?
        /// Held back while `early` is full.
        var held: EventLoopPromise<Void>?
    }

    /// Maximum bytes of an unwanted body to read in order to keep the connection.
    static let droppedBytes = 256 << 10

    /// Maximum bytes in `early`. At this limit the client stops reading.
    private static let earlyLimit = 512 << 10

    private let state: Mutex<State>
    private let loop: any EventLoop
    private let recorder: ExchangeRecorder?
    /// Time of the last activity, in nanoseconds of the event loop's clock: a byte received, or a wait on the engine's
    /// side.
    let activity: Atomic<UInt64>

    init(loop: any EventLoop, head: EventLoopPromise<ReceivedHead>, recorder: ExchangeRecorder? = nil) {
        self.loop = loop
        self.recorder = recorder
        state = Mutex(State(head: head))
        activity = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// Whether a head was received, or none will be.
    var isOver: Bool { state.withLock { $0.head == nil || $0.stopped != nil } }

    /// Whether a head with a status of success was received.
    var isSuccess: Bool { state.withLock(\.isSuccess) }

    /// The trailers of the complete response.
    var trailers: [HeaderField] { state.withLock(\.trailers) }

    /// Opens the body. The future completes once the waiting parts have been taken.
    func accept(_ body: Body) -> EventLoopFuture<Void> {
        let done = loop.makePromise(of: Void.self)
        loop.execute {
            self.state.withLock { $0.body = body }
            self.touch()
            self.takeEarly(done)
        }
        return done.futureResult
    }

    private func takeEarly(_ done: EventLoopPromise<Void>) {
        let (part, held) = state.withLock { state in
            let part = state.early.popFirst()
            if part == nil { state.isOpen = true }
            return (part, part == nil ? state.held.take() : nil)
        }
        guard let part else {
            held?.succeed()
            return done.succeed()
        }
        guard let taken = take(part) else { return takeEarly(done) }
        taken.whenComplete { result in
            switch result {
            case .success: self.takeEarly(done)
            case .failure(let error):
                self.state.withLock { $0.held.take() }?.fail(error)
                done.fail(error)
            }
        }
    }

    /// Text collected so far.
    var text: String {
        state.withLock { state in
            guard case .text(let buffer, _) = state.body else { return "" }
            return String(buffer: buffer)
        }
    }

    /// Body collected so far.
    var gathered: ByteBuffer {
        state.withLock { state in
            guard case .gathered(let buffer, _, _, _) = state.body else { return ByteBuffer() }
            return buffer
        }
    }

    /// Returns the body if it is no larger than `size` and was complete before `accept` was called.
    func takeWhole(_ size: Int) -> ByteBuffer? {
        state.withLock { state in
            guard state.isWhole, state.body == nil, state.stopped == nil, state.earlyBytes <= size else { return nil }
            var whole = state.early.popFirst() ?? ByteBuffer()
            while var part = state.early.popFirst() { whole.writeBuffer(&part) }
            return whole
        }
    }

    // MARK: Events of the transport

    /// - Parameter count: Number of body bytes.
    func sentPart(_ count: Int) {
        touch()
        recorder?.sentPart(count)
    }

    func sentRequest() {
        touch()
        recorder?.sentRequest()
    }

    func received(_ head: ReceivedHead) {
        touch()
        let waiting = state.withLock { state in
            state.isSuccess = (200..<300).contains(head.status)
            return state.head.take()
        }
        waiting?.succeed(head)
    }

    func received(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        touch()
        recorder?.receivedPart(part.readableBytes)
        if state.withLock(\.isOpen) { return take(part) }
        return state.withLock { state in
            if let stopped = state.stopped { return loop.makeFailedFuture(stopped) }
            state.early.append(part.withoutSlack)
            state.earlyBytes += part.readableBytes
            guard state.earlyBytes > Self.earlyLimit else { return nil }
            let held = loop.makePromise(of: Void.self)
            state.held = held
            return held.futureResult
        }
    }

    /// Completes the promises that the client waits for. Until then it does not notice that the engine ended the
    /// exchange.
    func abandon(_ error: any Error) {
        let held = state.withLock { state in
            state.stopped = state.stopped ?? error as? ServiceError ?? ExchangeEnd.stopped
            return state.held.take()
        }
        held?.fail(error)
    }

    /// Passes a part to the body.
    ///
    /// - Returns: `nil` if it is taken.
    private func take(_ part: ByteBuffer) -> EventLoopFuture<Void>? {
        let (sink, queue) = state.withLock { state -> (BodySink?, PartQueue?) in
            switch state.body {
            case .sink(let sink): (sink, nil)
            case .handed(let queue): (nil, queue)
            case .text, .gathered, .dropped, nil: (nil, nil)
            }
        }
        if let queue { return queue.offer(part, on: loop) }
        do {
            guard let sink else {
                try keep(part)
                return nil
            }
            guard sink.gate.isOpen else { return pace(part, into: sink) }
            try write(part, into: sink)
            return nil
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    func finishedResponse(_ trailers: [HeaderField]) {
        recorder?.ended()
        state.withLock { ($0.isWhole, $0.trailers) = (true, trailers) }
    }

    /// Ends the exchange without a complete response.
    func failed(_ error: any Error) {
        recorder?.ended()
        let (head, held) = state.withLock { state in
            state.stopped = error as? ServiceError
            return (state.head.take(), state.held.take())
        }
        head?.fail(error)
        held?.fail(error)
    }

    // MARK: -

    func touch() { activity.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    private func write(_ part: ByteBuffer, into sink: BodySink) throws {
        if try sink.append(part) > Int64(Self.droppedBytes) { throw EnoughReceived() }
    }

    /// Keeps or drops a part of a body that is not written to a file.
    private func keep(_ part: ByteBuffer) throws {
        try state.withLock { state in
            switch state.body {
            case .text(var buffer, let limit):
                state.body = nil
                buffer.writeImmutableBuffer(
                    part.getSlice(at: part.readerIndex, length: min(limit - buffer.readableBytes, part.readableBytes))
                        ?? part)
                state.body = .text(buffer, limit: limit)
                if buffer.readableBytes >= limit { throw EnoughReceived() }
            case .gathered(var buffer, let size, var dropped, let progress):
                state.body = nil
                var part = part
                var wanted =
                    part.readSlice(length: min(part.readableBytes, size - buffer.readableBytes)) ?? ByteBuffer()
                progress.received.wrappingAdd(Int64(wanted.readableBytes), ordering: .relaxed)
                buffer.writeBuffer(&wanted)
                dropped += part.readableBytes
                state.body = .gathered(buffer, size: size, dropped: dropped, progress)
                if dropped > Self.droppedBytes { throw EnoughReceived() }
            case .dropped(let count):
                let dropped = count + part.readableBytes
                state.body = .dropped(dropped)
                if dropped > Self.droppedBytes { throw EnoughReceived() }
            case .sink, .handed, nil: break
            }
        }
    }

    /// Writes a part piece by piece at the pace of the rate limits. Meanwhile the client reads nothing from the socket.
    private func pace(_ part: ByteBuffer, into sink: BodySink) -> EventLoopFuture<Void> {
        let done = loop.makePromise(of: Void.self)
        paceNext(part, into: sink, done)
        return done.futureResult
    }

    private func paceNext(_ rest: ByteBuffer, into sink: BodySink, _ done: EventLoopPromise<Void>) {
        var rest = rest
        while let piece = rest.readSlice(length: min(sink.gate.pieceSize, rest.readableBytes)), piece.readableBytes > 0
        {
            touch()
            let wait = sink.gate.reserve(piece.readableBytes)
            guard wait > 0 else {
                do { try write(piece, into: sink) } catch { return done.fail(error) }
                continue
            }
            let remaining = rest
            loop.scheduleTask(in: .nanoseconds(Int64(clamping: wait))) {
                if let stopped = self.state.withLock(\.stopped) { return done.fail(stopped) }
                do { try self.write(piece, into: sink) } catch { return done.fail(error) }
                self.paceNext(remaining, into: sink, done)
            }
            return
        }
        done.succeed()
    }
}
