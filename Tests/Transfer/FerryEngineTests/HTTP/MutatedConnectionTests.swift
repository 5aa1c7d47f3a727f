import FerryTesting
import NIOCore
import NIOEmbedded
import Testing

@testable import FerryEngine

/// Random bytes in random pieces, between random events of the connection and its receiver.
///
/// docs/contributing.md describes how to run more of them.
@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `Mutated events of a connection` {
    private static let samples = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\n\r\nuntil the end", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 404 Not Found\nConnection: keep-alive\nContent-Length: 2\n\nno",
        "HTTP/1.1 500 Error\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbad",
    ].map { Array($0.utf8) }

    @Test func `end each request once, in order`() async throws {
        try await withEngine { harness in
            var mutations = Mutations(seed: 661)
            try await mutations.rounds(3000) { mutations, round in
                let connection = try EmbeddedConnection(harness.engine)
                var receivers: [RecordingReceiver] = []
                while connection.channel.isActive, receivers.count < 4 {
                    let isHeld = Int.random(in: 0..<3, using: &mutations) == 0
                    let receiver = RecordingReceiver(holdingOn: isHeld ? connection.channel.embeddedEventLoop : nil)
                    let method = ["GET", "HEAD", "POST"].randomElement(using: &mutations) ?? "GET"
                    guard try connection.ask(method, receiver) != nil else { break }
                    receivers.append(receiver)
                    try Self.answer(connection, receiver, &mutations)
                    if receiver.all.ends.isEmpty {
                        connection.closeByServer()
                        // As many as may be held back.
                        for _ in 0..<64 { receiver.release() }
                    }
                }
                for receiver in receivers {
                    let all = receiver.all
                    #expect(all.ends.count == 1 && all.misplaced == 0, "round \(round): \(all)")
                }
                #expect(connection.ends.count == receivers.count, "round \(round)")
                _ = try? connection.channel.finish(acceptAlreadyClosed: true)
            }
        }
    }

    private static func answer(
        _ connection: EmbeddedConnection, _ receiver: RecordingReceiver, _ mutations: inout Mutations
    ) throws {
        var bytes = samples[Int.random(in: 0..<samples.count, using: &mutations)]
        if Bool.random(using: &mutations) { bytes = mutations.mutate(bytes) }
        var rest = bytes[...]
        while !rest.isEmpty, connection.channel.isActive {
            let piece = rest.prefix(Int.random(in: 1...max(1, min(rest.count, 40)), using: &mutations))
            rest = rest.dropFirst(piece.count)
            do { try connection.channel.writeInbound(ByteBuffer(bytes: piece)) } catch {}
            switch Int.random(in: 0..<20, using: &mutations) {
            case 0: connection.closeByServer()
            case 1:
                connection.channel.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "reset"))
            case 2...5: receiver.release()
            default: break
            }
        }
    }
}
