import NIOCore
import NIOPosix

/// Runs `body` with a server that sends the same bytes to each connection at its first input, and keeps reading.
///
/// - Parameter closes: Whether it closes each connection after these bytes.
func withRawServer<Result>(
    answering answer: String, closes: Bool = false, _ body: (_ port: Int) async throws -> Result
) async throws -> Result {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(FixedAnswer(answer, closes: closes))
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
    do {
        let result = try await body(channel.localAddress?.port ?? 0)
        try? await channel.close()
        return result
    } catch {
        try? await channel.close()
        throw error
    }
}

private final class FixedAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: String
    private let closes: Bool
    private var isSent = false

    init(_ answer: String, closes: Bool) {
        self.answer = answer
        self.closes = closes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSent else { return }
        isSent = true
        context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
        if closes { context.close(promise: nil) }
    }
}
