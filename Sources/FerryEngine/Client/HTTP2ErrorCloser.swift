// Ferry: FerryEngine
// The end of HTTP/2 connections that fail.

import NIOCore

/// Closes a connection of HTTP/2 at its first error.
///
/// NIO tells the server about an error and leaves the connection to its user; the HTTP client waits for the server to close it.
/// The answer that brought the error, such as a head beyond the client's limit, would be waited for until the timeout.
final class HTTP2ErrorCloser: ChannelInboundHandler {
    typealias InboundIn = Never

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
