import FerryCore
import NIOCore
import NIOHTTP1
import Synchronization

/// A request whose response is expected to fit in memory, on a connection of ``ShortConnections``.
///
/// Without a complete response of that kind, the request is sent again by the HTTP client. Its method is safe to
/// repeat, and nothing of the response has reached the exchange by then.
final class ShortRequest: ExchangeTransport {
    private struct State {
        var channel: (any Channel)?
        var isAsked = false
        var isOver = false
        /// The engine's own reason to end the exchange.
        var end: (any Error)?
        /// The transport that sends the request again.
        var other: (any ExchangeTransport)?
    }

    let place: ShortConnections.Place
    /// The request in HTTP/1.1 syntax.
    let bytes: ByteBuffer
    private let connections: ShortConnections
    private let delegate: ExchangeDelegate
    private let loop: any EventLoop
    private let again: @Sendable () throws -> any ExchangeTransport
    private let done: EventLoopPromise<Void>
    private let state = Mutex(State())

    /// - Parameter again: Creates the transport that sends the request again.
    init(
        _ bytes: ByteBuffer, at place: ShortConnections.Place, by connections: ShortConnections, on loop: any EventLoop,
        delegate: ExchangeDelegate, again: @escaping @Sendable () throws -> any ExchangeTransport
    ) {
        (self.bytes, self.place, self.connections) = (bytes, place, connections)
        (self.loop, self.delegate, self.again) = (loop, delegate, again)
        done = loop.makePromise(of: Void.self)
    }

    var futureResult: EventLoopFuture<Void> { done.futureResult }

    var isAsked: Bool { state.withLock { $0.other?.isAsked ?? $0.isAsked } }

    func begin() { loop.execute { self.connections.send(self) } }

    func fail(reason error: any Error) {
        let (other, channel, isFirst) = state.withLock { state -> ((any ExchangeTransport)?, (any Channel)?, Bool) in
            guard !state.isOver, state.end == nil else { return (nil, nil, false) }
            state.end = error
            return (state.other, state.channel, true)
        }
        guard isFirst else { return }
        if let other { return other.fail(reason: error) }
        channel?.close(promise: nil)
        loop.execute { self.finish(.failure(error)) }
    }

    // MARK: Events of the connection, on its event loop

    /// Records that a connection takes the request.
    ///
    /// - Returns: False if the exchange has ended.
    func take(_ channel: any Channel) -> Bool {
        let isWanted = state.withLock { state in
            guard !state.isOver, state.end == nil else { return false }
            (state.channel, state.isAsked) = (channel, true)
            return true
        }
        if isWanted { delegate.sentRequest() }
        return isWanted
    }

    func received() { delegate.touch() }

    func answered(_ head: UnambiguousHead, _ body: ByteBuffer) {
        guard state.withLock({ !$0.isOver && $0.end == nil }) else { return }
        delegate.received(
            HTTPResponseHead(
                version: .http1_1, status: HTTPResponseStatus(statusCode: head.status.number),
                headers: HTTPHeaders(head.fields.map { ($0.name, $0.value) })))
        guard body.readableBytes > 0 else { return finishResponse() }
        delegate.received(body).assumeIsolated().whenComplete { result in
            switch result {
            case .success: self.finishResponse()
            case .failure(let error): self.finish(.failure(error))
            }
        }
    }

    private func finishResponse() {
        delegate.finishedResponse()
        finish(.success(()))
    }

    /// Sends the request again with the HTTP client: no connection, no complete response, or not of the expected kind.
    func sendAgain() {
        let isWanted = state.withLock { state in
            state.channel = nil
            return !state.isOver && state.end == nil
        }
        guard isWanted else { return }
        let other: any ExchangeTransport
        do { other = try again() } catch { return finish(.failure(error)) }
        let end = state.withLock { state in
            state.other = other
            return state.end
        }
        other.futureResult.whenComplete { self.finish($0, isReported: true) }
        other.begin()
        if let end { other.fail(reason: end) }
    }

    /// - Parameter isReported: Whether the delegate knows the error.
    private func finish(_ result: Result<Void, any Error>, isReported: Bool = false) {
        let isFirst = state.withLock { state in
            defer { (state.isOver, state.channel) = (true, nil) }
            return !state.isOver
        }
        guard isFirst else { return }
        if case .failure(let error) = result, !isReported { delegate.failed(error) }
        done.completeWith(result)
    }
}
