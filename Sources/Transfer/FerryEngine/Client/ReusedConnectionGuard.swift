import NIOCore

/// The server had closed a pooled connection before the first byte of a response.
///
/// See docs/behaviour/transfers.md#T4.
struct ReusedConnectionClosed: Error {}

/// Counts the requests of one connection at the byte level.
///
/// A close before any response is a failure on a connection's first request, and only bad timing on a later one.
final class ReusedConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum State {
        /// The next write begins a request.
        case idle
        /// Nothing was received since the request began.
        case unanswered
        /// Informational responses were received. Further writes belong to the same request.
        case informed
    }

    private var requests = 0
    private var state = State.idle

    /// The beginning of an incomplete head.
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

    /// Treats a reset like a close: a server that closes while the request arrives resets the connection.
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
    /// Maximum length of an informational head to wait for, in bytes.
    private static let longestHead = 16 << 10

    /// Reads bytes of a response, which may be informational and incomplete.
    private func note(_ bytes: ByteBuffer) {
        // Most responses have no informational head. Their bytes are not copied.
        if unfinished.isEmpty, bytes.readableBytes >= Self.informational.count,
            !bytes.readableBytesView.starts(with: Self.informational)
        {
            state = .idle
            return
        }
        unfinished += bytes.readableBytesView
        var rest = unfinished[...]
        while rest.starts(with: Self.informational), let end = rest.firstRange(of: Self.endOfHead) {
            rest = rest[end.upperBound...]
        }
        unfinished.removeFirst(unfinished.count - rest.count)
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
