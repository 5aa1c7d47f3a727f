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

    private var requests = 0
    private var isUnanswered = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !isUnanswered {
            isUnanswered = true
            requests += 1
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isUnanswered = false
        context.fireChannelRead(data)
    }

    /// A server that closes as the request comes resets the connection: the same bad timing, seen one step later.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isUnanswered, requests > 1, error is IOError else { return context.fireErrorCaught(error) }
        isUnanswered = false
        context.fireErrorCaught(ReusedConnectionClosed())
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isUnanswered, requests > 1 { context.fireErrorCaught(ReusedConnectionClosed()) }
        context.fireChannelInactive()
    }
}
