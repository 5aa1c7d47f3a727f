// Ferry: FerryEngine
// One response, as the HTTP client hands it over.

import AsyncHTTPClient
import FerryCore
import NIOCore
import NIOHTTP1
import Synchronization

/// Receives one response on the event loop of its connection.
///
/// The client holds the body back until the future of the head is completed, and each part until the future of the part
/// before: so the head is judged, and the file prepared, before the first byte is written (spec R7).
final class ExchangeDelegate: HTTPClientResponseDelegate {
    typealias Response = Void

    /// What happens to the body.
    enum Body {
        case sink(BodySink)
        /// The first bytes are kept as text, for an error's details.
        case text(ByteBuffer, limit: Int)
        /// Dropped, so that the connection can be used again.
        case dropped(Int)
    }

    private struct State {
        var head: EventLoopPromise<HTTPResponseHead>?
        var accepted: EventLoopPromise<Void>?
        var body: Body?
    }

    /// Bytes of an unwanted body that are read for the sake of the connection.
    static let droppedBytes = 256 << 10

    private let state: Mutex<State>
    private let loop: any EventLoop
    /// Nanoseconds of the event loop's clock when something last arrived or was last waited for by ourselves.
    let activity: Atomic<UInt64>

    init(loop: any EventLoop, head: EventLoopPromise<HTTPResponseHead>) {
        self.loop = loop
        state = Mutex(State(head: head))
        activity = Atomic(NIODeadline.now().uptimeNanoseconds)
    }

    /// Lets the body come.
    func accept(_ body: Body) {
        let accepted = state.withLock { state in
            state.body = body
            return state.accepted.take()
        }
        touch()
        accepted?.succeed()
    }

    /// The text gathered so far.
    var text: String {
        state.withLock { state in
            guard case .text(let buffer, _) = state.body else { return "" }
            return String(buffer: buffer)
        }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) { touch() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        touch()
        let accepted = loop.makePromise(of: Void.self)
        let waiting = state.withLock { state in
            state.accepted = accepted
            return state.head.take()
        }
        waiting?.succeed(head)
        return accepted.futureResult
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        touch()
        let sink = state.withLock { state in
            if case .sink(let sink) = state.body { sink } else { nil as BodySink? }
        }
        do {
            guard let sink else {
                try keep(part)
                return loop.makeSucceededVoidFuture()
            }
            guard sink.gate.isOpen else { return pace(part, into: sink) }
            try write(part, into: sink)
            return loop.makeSucceededVoidFuture()
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let (head, accepted) = state.withLock { ($0.head.take(), $0.accepted.take()) }
        head?.fail(error)
        accepted?.fail(error)
    }

    // MARK: -

    private func touch() { activity.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    private func write(_ part: ByteBuffer, into sink: BodySink) throws {
        if try sink.append(part) > Int64(Self.droppedBytes) { throw EnoughReceived() }
    }

    /// Keeps or drops a part of a body that is no file.
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
            case .dropped(let count):
                let dropped = count + part.readableBytes
                state.body = .dropped(dropped)
                if dropped > Self.droppedBytes { throw EnoughReceived() }
            case .sink, nil: break
            }
        }
    }

    /// Writes a part piece by piece as the rate limits allow; meanwhile the client reads nothing from the socket.
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
                do { try self.write(piece, into: sink) } catch { return done.fail(error) }
                self.paceNext(remaining, into: sink, done)
            }
            return
        }
        done.succeed()
    }
}
