import HTTPTypes
package import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization

/// A server that resumes uploads with swift-nio-extras. Its handler keeps each upload and responds with its size.
///
/// Supports versions 3, 5 and 6 of the protocol.
package final class NIOUploadServer: Sendable {
    package let port: Int
    private let channel: any Channel
    private let kept: Kept
    private let group: MultiThreadedEventLoopGroup

    /// The received content and the connections.
    private final class Kept: Sendable {
        let bodies = Mutex<[ByteBuffer]>([])
        let channels = Mutex<[any Channel]>([])
        let bytes = Mutex<Int64>(0)
    }

    private init(_ channel: any Channel, _ kept: Kept, _ group: MultiThreadedEventLoopGroup) {
        port = channel.localAddress?.port ?? 0
        self.channel = channel
        self.kept = kept
        self.group = group
    }

    package static func start() async throws -> NIOUploadServer {
        let kept = Kept()
        // The handler binds an upload to the event loop of its first connection.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let context = Mutex<HTTPResumableUploadContext?>(nil)
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    kept.channels.withLock { $0.append(channel) }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(ByteCounter(kept))
                    let shared = context.withLock { context in
                        let origin = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
                        let made = context ?? HTTPResumableUploadContext(origin: origin)
                        context = made
                        return made
                    }
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: shared, handlers: [KeepingHandler(kept)]))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return NIOUploadServer(channel, kept, group)
    }

    package func url(_ path: String = "/in") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Content of each complete upload.
    package var bodies: [ByteBuffer] { kept.bodies.withLock(\.self) }
    /// Number of content bytes received over all connections.
    package var bytesReceived: Int64 { kept.bytes.withLock(\.self) }

    /// Closes all open connections.
    package func cut() async {
        for channel in kept.channels.withLock({ channels in
            defer { channels = [] }
            return channels
        }) {
            try? await channel.close()
        }
    }

    package func shutdown() async {
        try? await channel.close()
        await cut()
        try? await group.shutdownGracefully()
    }

    /// Counts content before it reaches the upload handler.
    private final class ByteCounter: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart

        private let kept: Kept

        init(_ kept: Kept) { self.kept = kept }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .body(let part) = unwrapInboundIn(data) {
                kept.bytes.withLock { $0 += Int64(part.readableBytes) }
            }
            context.fireChannelRead(data)
        }
    }

    /// The resource that receives uploads.
    private final class KeepingHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let kept: Kept
        private var content = ByteBuffer()

        init(_ kept: Kept) { self.kept = kept }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: content.clear()
            case .body(var part): content.writeBuffer(&part)
            case .end:
                kept.bodies.withLock { $0.append(content) }
                let text = ByteBuffer(string: "\(content.readableBytes)")
                var response = HTTPResponse(status: .created)
                response.headerFields[.contentLength] = "\(text.readableBytes)"
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                context.write(wrapOutboundOut(.body(text)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
