import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `Connections that wait for a request` {
    private let connections = WaitingConnections()

    private func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestWait(connections))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private func request(_ channel: EmbeddedChannel) throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    @Test func `are closed in the order in which they began to wait, and not while they are served`() throws {
        let channels = try (0..<4).map { _ in try connection() }
        // The first one waits anew, the second one is served twice and answered once.
        try request(channels[0])
        try answer(channels[0])
        try request(channels[1])
        try request(channels[1])
        try answer(channels[1])
        var closed: [Int] = []
        while connections.closeOldest() {
            closed.append(contentsOf: channels.indices.filter { !channels[$0].isActive && !closed.contains($0) })
        }
        #expect(closed == [2, 3, 0])
        #expect(channels[1].isActive)
        // A response to a client that has left makes no connection wait.
        _ = try channels[1].finish(acceptAlreadyClosed: true)
        try? answer(channels[1])
        #expect(!connections.closeOldest())
    }
}
