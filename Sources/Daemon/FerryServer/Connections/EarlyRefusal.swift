import FerryAPI
import FerryCore
import NIOCore
import NIOHTTP1

/// A response to a connection that the HTTP server does not get to see.
enum EarlyRefusal {
    /// Writes an error as JSON.
    ///
    /// - Parameter context: The context of a handler behind the encoder.
    /// - Returns: Completes once the response is written. The caller then closes the connection.
    @discardableResult
    static func write(
        _ error: ServiceError, status: HTTPResponseStatus, to context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        let body = (try? APIJSON.bytes(ErrorBody(error))) ?? []
        let fields: HTTPHeaders = [
            "Content-Type": MediaType.json, "Content-Length": "\(body.count)", "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        ]
        func send(_ part: HTTPServerResponsePart) -> NIOAny { NIOAny(part) }
        context.write(send(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        context.write(send(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        return context.writeAndFlush(send(.end(nil)))
    }
}
