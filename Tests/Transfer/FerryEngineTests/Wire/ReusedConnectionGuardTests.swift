import FerryRules
import NIOCore
import NIOEmbedded
import Testing

@testable import FerryEngine

@Suite struct `Ends of reused connections` {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ReusedConnectionGuard())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }

    private func write(_ text: String, to channel: EmbeddedChannel) throws {
        try channel.writeOutbound(ByteBuffer(string: text))
    }

    /// Whether the end of the connection is reported as that of a stale kept connection.
    private func isStale(_ channel: EmbeddedChannel) -> Bool {
        channel.pipeline.fireChannelInactive()
        do {
            try channel.throwIfErrorCaught()
            return false
        } catch {
            return error is ReusedConnectionClosed
        }
    }

    @Test func `the first request of a connection is never stale, and a later one is`() throws {
        let first = try channel()
        try write("PUT / HTTP/1.1\r\n\r\n", to: first)
        #expect(!isStale(first))
        let second = try channel()
        try write("GET / HTTP/1.1\r\n\r\n", to: second)
        try second.writeInbound(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        try write("GET / HTTP/1.1\r\n\r\n", to: second)
        #expect(isStale(second))
    }

    /// An informational response in the middle of a body does not complete the response. The following bytes belong to
    /// the same request.
    @Test(arguments: [
        ["HTTP/1.1 104 Upload\r\nLocation: /1\r\n\r\n"],
        ["HTTP/1.1 104 Upload\r\nLoca", "tion: /1\r\n\r\n"],
        ["HTT", "P/1.1 104 Upload\r\nLocation: /1\r\n\r", "\n"],
        ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 104 Upload\r\n", "Location: /1\r\n\r\n"],
    ])
    func `a request continues after an informational response`(pieces: [String]) throws {
        let channel = try channel()
        try write("PUT / HTTP/1.1\r\n\r\n", to: channel)
        for piece in pieces {
            try channel.writeInbound(ByteBuffer(string: piece))
            try write("more of the body", to: channel)
        }
        #expect(!isStale(channel))
    }

    @Test func `the answer behind an informational response ends the request`() throws {
        let channel = try channel()
        try write("PUT / HTTP/1.1\r\n\r\n", to: channel)
        try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 104 Upload\r\n\r\nHTTP/1.1 201 Made\r\n\r\n"))
        try write("GET / HTTP/1.1\r\n\r\n", to: channel)
        #expect(isStale(channel))
    }
}
