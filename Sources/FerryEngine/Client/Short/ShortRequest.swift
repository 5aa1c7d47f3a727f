import FerryCore
import NIOCore
import NIOHTTP1
import Synchronization

/// A request whose response is expected to fit in memory, on a connection of ``ShortConnections``.
///
/// Without a complete response of that kind it fails with ``ClientFailure/notShort``, and nothing of the response has
/// reached the exchange. The request is then sent again by the HTTP client.
final class ShortRequest: ExchangeTransport {
    private struct State {
        var channel: (any Channel)?
        var isAsked = false
        var isOver = false
    }

    let address: SocketAddress
    /// The request in HTTP/1.1 syntax.
    let bytes: ByteBuffer
    private let connections: ShortConnections
    private let delegate: ExchangeDelegate
    private let done: EventLoopPromise<Void>
    private let state = Mutex(State())

    init(_ bytes: ByteBuffer, to address: SocketAddress, by connections: ShortConnections, delegate: ExchangeDelegate) {
        (self.bytes, self.address) = (bytes, address)
        (self.connections, self.delegate) = (connections, delegate)
        done = connections.loop.makePromise(of: Void.self)
    }

    var futureResult: EventLoopFuture<Void> { done.futureResult }

    var isAsked: Bool { state.withLock(\.isAsked) }

    func begin() { connections.loop.execute { self.connections.send(self) } }

    func fail(reason error: any Error) {
        connections.loop.execute {
            let channel = self.state.withLock(\.channel)
            guard self.finish(.failure(error)) else { return }
            channel?.close(promise: nil)
        }
    }

    // MARK: Events of the connection, on its event loop

    /// Records that a connection takes the request.
    ///
    /// - Returns: False if the exchange has ended.
    func take(_ channel: any Channel) -> Bool {
        let isWanted = state.withLock { state in
            if !state.isOver { (state.channel, state.isAsked) = (channel, true) }
            return !state.isOver
        }
        if isWanted { delegate.sentRequest() }
        return isWanted
    }

    func received() { delegate.touch() }

    func answered(_ head: UnambiguousHead, _ body: ByteBuffer) {
        guard state.withLock({ !$0.isOver }) else { return }
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

    /// Ends the request without a response of the expected kind, or without a connection.
    func isUnanswered() { finish(.failure(ClientFailure.notShort)) }

    /// - Returns: False if the request has already finished.
    @discardableResult
    private func finish(_ result: Result<Void, any Error>) -> Bool {
        let isFirst = state.withLock { state in
            defer { (state.isOver, state.channel) = (true, nil) }
            return !state.isOver
        }
        guard isFirst else { return false }
        if case .failure(let error) = result { delegate.failed(error) }
        done.completeWith(result)
        return true
    }
}
