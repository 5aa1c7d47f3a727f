import FerryCore
import FerryRules
import FerryTesting
import NIOCore
import NIOPosix
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(2))) struct `Coded bodies that unpack to nothing` {
    /// A regression: bytes received in vain were only checked once a second. Half a gigabyte arrived within that time.
    @Test func `are judged by their received bytes`() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(EndlessName()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        // No timer triggers the check, only the number of bytes.
        try await withEngine(configured: { $0.checkpointInterval = 3600 }) { harness in
            let history = await harness.transfer(
                harness.request("http://127.0.0.1:\(port)/file.bin") { $0.response.decode = true }, tries: 1)
            #expect(history.codes == [.budgetExceeded], "\(history.errors)")
            #expect(history.facts.bytesSpent < 256 << 20)
        }
        try await server.close()
    }

    /// Sends a gzip body with an endless file name in its header (RFC 1952 §2.3.1).
    private final class EndlessName: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private static let piece = ByteBuffer(repeating: UInt8(ascii: "a"), count: 1 << 20)
        private var isSending = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isSending else { return }
            isSending = true
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
            var bytes = ByteBuffer(string: head)
            bytes.writeBytes([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3])
            Self.send(bytes, to: context.channel)
        }

        private static func send(_ bytes: ByteBuffer, to channel: any Channel) {
            channel.writeAndFlush(bytes).whenSuccess { send(piece, to: channel) }
        }
    }
}
