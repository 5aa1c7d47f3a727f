import NIOCore

/// A pooled connection was closed before the first byte of an answer: the server had given it up meanwhile.
///
/// See docs/behaviour/transfers.md#T4.
struct ReusedConnectionClosed: Error {}

/// Counts the requests of one connection, at the level of bytes.
///
/// An end before any answer means a failure on a connection's first request, and only bad timing on a later one.
final class ReusedConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum State {
        /// The next write begins a request.
        case idle
        /// Nothing has come since the request began.
        case unanswered
        /// Informational responses have come, and what is written is the rest of the request.
        case informed
    }

    private var requests = 0
    private var state = State.idle

    /// The beginning of a head whose rest has not come.
    private var unfinished: [UInt8] = []

    private var isUnanswered: Bool { state == .unanswered }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if state == .idle {
            state = .unanswered
            requests += 1
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if state != .idle { note(unwrapInboundIn(data)) }
        context.fireChannelRead(data)
    }

    /// A server that closes as the request comes resets the connection: the same bad timing, seen one step later.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isUnanswered, requests > 1, error is IOError else { return context.fireErrorCaught(error) }
        state = .idle
        context.fireErrorCaught(ReusedConnectionClosed())
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isUnanswered, requests > 1 { context.fireErrorCaught(ReusedConnectionClosed()) }
        context.fireChannelInactive()
    }
}

extension ReusedConnectionGuard {
    private static let informational = Array("HTTP/1.1 1".utf8)
    private static let endOfHead = Array("\r\n\r\n".utf8)
    /// No informational head that is longer is waited for.
    private static let longestHead = 16 << 10

    /// Takes in bytes of an answer, which may be informational, and may come in pieces.
    private func note(_ bytes: ByteBuffer) {
        unfinished += bytes.readableBytesView
        while unfinished.starts(with: Self.informational) {
            guard let end = unfinished.firstRange(of: Self.endOfHead) else { break }
            unfinished.removeFirst(end.upperBound)
        }
        let isInformational =
            unfinished.starts(with: Self.informational) || Self.informational.starts(with: unfinished)
        if isInformational, unfinished.count <= Self.longestHead {
            state = .informed
        } else {
            state = .idle
            unfinished = []
        }
    }
}
