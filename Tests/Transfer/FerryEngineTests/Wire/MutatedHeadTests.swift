import FerryCore
import FerryRules
import FerryTesting
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import FerryEngine

/// Random response heads, processed by the whole stack. Each attempt must end, and the process must survive.
///
/// docs/contributing.md describes how to run more of them.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Mutated heads of responses` {
    private static let samples = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/5\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 302 Found\r\nLocation: /other?a=b\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"a\", nonce=\"b\", qop=\"auth\"\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Digest: sha-256=:AAAA:\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 503 Busy\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nAge: 1\r\nCache-Control: max-age=5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Max-Age=5; Path=/\r\nContent-Disposition: attachment; filename*=utf-8''a\r\n\r\nhello",
        "HTTP/1.0 204 No Content\nConnection: keep-alive\n\n",
    ]

    /// Any three characters of a status are as likely as common ones. A grammar of heads had missed statuses below 100.
    private static func sample(_ mutations: inout Mutations) -> [UInt8] {
        let sample = Array(samples[Int.random(in: 0..<samples.count, using: &mutations)].utf8)
        var bytes = Bool.random(using: &mutations) ? mutations.mutate(sample) : sample
        if Bool.random(using: &mutations), let line = bytes.firstIndex(of: UInt8(ascii: " ")), bytes.count > line + 4 {
            let digits = String(Int.random(in: 0...1099, using: &mutations))
            let padded = String(repeating: "0", count: Int.random(in: 0...2, using: &mutations)) + digits
            bytes.replaceSubrange(
                line + 1..<line + 4, with: padded.utf8.prefix(Int.random(in: 1...4, using: &mutations)))
        }
        return bytes
    }

    @Test func `end each attempt in an error or a file`() async throws {
        let answers = Answers()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AnswerHandler(answers))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        try await withEngine { harness in
            var mutations = Mutations(seed: 101)
            try await mutations.rounds(400) { mutations, round in
                // One or two pieces, because a split head is parsed differently.
                let bytes = Self.sample(&mutations)
                answers.next.withLock { $0 = (bytes, Int.random(in: 0...bytes.count, using: &mutations)) }
                let request = harness.request("http://127.0.0.1:\(port)/\(round)") {
                    $0.transport.connections = [1, 4, 16].randomElement(using: &mutations)
                    $0.response.decode = Bool.random(using: &mutations)
                    $0.file.onConflict = .replace
                }
                let history = await harness.transfer(request, tries: 1)
                #expect(history.reports.count == 1)
            }
        }
        try await server.close()
    }

    /// The bytes for the next connections, and the position of the split.
    private final class Answers: Sendable {
        let next = Mutex<(bytes: [UInt8], cut: Int)>(([], 0))
    }

    private final class AnswerHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answers: Answers
        private var isSent = false

        init(_ answers: Answers) { self.answers = answers }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isSent else { return }
            isSent = true
            let (bytes, cut) = answers.next.withLock(\.self)
            let channel = context.channel
            channel.writeAndFlush(ByteBuffer(bytes: bytes[..<cut]), promise: nil)
            context.eventLoop.execute {
                channel.writeAndFlush(ByteBuffer(bytes: bytes[cut...])).whenComplete { _ in channel.close(promise: nil)
                }
            }
        }
    }
}
