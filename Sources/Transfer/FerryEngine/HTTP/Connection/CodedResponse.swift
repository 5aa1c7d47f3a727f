import FerryCore
import NIOCore
import NIOHTTP1

/// Reads with NIO's codec the responses that ``HTTP1Connection`` does not read itself. Sits above the codec.
final class CodedResponse: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private enum State {
        case idle
        case reading
        case complete
        case failed(any Error)
    }

    /// How far a response is after the bytes so far.
    enum Progress {
        case incomplete
        /// - Parameter isExact: Whether no byte follows.
        case complete(isExact: Bool)
        case failed(any Error)
    }

    /// Called with the head and each part of the body.
    private let received: (HTTPClientResponsePart) -> Void
    private var context: ChannelHandlerContext?
    private var state = State.idle
    /// Whether the server keeps the connection open after the response.
    private(set) var isKeptAlive = false
    /// The trailers of the last complete response.
    private(set) var trailers: [HeaderField] = []

    init(_ received: @escaping (HTTPClientResponsePart) -> Void) { self.received = received }

    /// Expects a response. The codec reads none without a request.
    func expect(responseTo method: HTTPMethod) {
        state = .reading
        (isKeptAlive, trailers) = (false, [])
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/")
        // The connection drops it.
        context?.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    /// Passes bytes to the codec.
    ///
    /// Responses that it reads end with a line feed or with the connection. So it gets the last one alone: if the response is complete
    /// without, more bytes follow, which the codec would take for the beginning of the next response.
    /// - Parameter below: The context of the connection.
    func read(_ bytes: ByteBuffer, from below: ChannelHandlerContext) -> Progress {
        var bytes = bytes
        var last: ByteBuffer?
        if bytes.readableBytes > 1, bytes.readableBytesView.last == 0x0A {
            last = bytes.getSlice(at: bytes.writerIndex - 1, length: 1)
            bytes.moveWriterIndex(to: bytes.writerIndex - 1)
        }
        let isLineFeed = bytes.readableBytes == 1 && bytes.readableBytesView.last == 0x0A
        below.fireChannelRead(NIOAny(bytes))
        if case .reading = state, let last {
            below.fireChannelRead(NIOAny(last))
            return progress(isExact: true)
        }
        return progress(isExact: last == nil && isLineFeed)
    }

    /// Ends the response with the connection, which may complete it.
    func end(_ below: ChannelHandlerContext) -> Progress {
        below.fireChannelInactive()
        return progress(isExact: false)
    }

    private func progress(isExact: Bool) -> Progress {
        switch state {
        case .idle, .reading: return .incomplete
        case .failed(let error): return .failed(error)
        case .complete:
            state = .idle
            return .complete(isExact: isExact)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .reading = state else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isKeptAlive = head.isKeepAlive
            received(.head(head))
        case .body(let bytes): received(.body(bytes))
        case .end(let trailers):
            self.trailers = trailers.map { $0.map { HeaderField(name: $0.name, value: $0.value) } } ?? []
            state = .complete
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After its end, it is about bytes that follow.
        if case .reading = state { state = .failed(error) }
    }
}
