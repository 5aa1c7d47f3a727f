import FerryCore
import NIOCore
import NIOHTTP1

/// Responds to a malformed first request with 400 and closes its connection, which frees the connection's slot.
///
/// Until the first head, the pipeline waits for a possible WebSocket handshake, and nothing else handles errors. Later
/// errors reach the HTTP server.
final class FirstRequestErrors: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart

    private var isFirst = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isFirst = false
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isFirst, error is HTTPParserError else { return context.fireErrorCaught(error) }
        isFirst = false
        let refusal = ServiceError(.invalidRequest, "The request is malformed: it is not HTTP/1.1 (RFC 9112).")
        let channel = context.channel
        EarlyRefusal.write(refusal, status: .badRequest, to: context).whenComplete { _ in channel.close(promise: nil) }
    }
}
