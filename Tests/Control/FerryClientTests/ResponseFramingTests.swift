import NIOCore
import Testing

@testable import FerryClient

@Suite(.timeLimit(.minutes(1))) struct `The framing of answers` {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// Feeds a response to the framing in pieces of a given size.
    private func take(
        _ text: String, by size: Int, closes: Bool = false
    ) throws -> (head: ResponseFraming.Head?, body: String, isAtEnd: Bool) {
        var framing = ResponseFraming()
        var head: ResponseFraming.Head?
        var body = ""
        var rest = ByteBuffer(string: text)
        while let piece = rest.readSlice(length: min(size, rest.readableBytes)), piece.readableBytes > 0 {
            framing.append(piece)
            if head == nil { head = try framing.head() }
            while let part = try framing.part() { body += String(buffer: part) }
        }
        if closes { try framing.close() }
        return (head, body, framing.isAtEnd)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true, "hello"),
            ("HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n", 404, true, ""),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, true, ""),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 200, false, "ok"),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, true, "x"),
            (chunked + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n", 200, true, "abc0123456789"),
            (chunked + "1\r\n\n\r\n0\r\nTrailer: t\r\n\r\n", 200, true, "\n"),
        ], [1, 2, 7, 4096])
    func `ends where the answer says, however it comes`(
        answer: (text: String, status: Int, keeps: Bool, body: String), size: Int
    ) throws {
        let taken = try take(answer.text, by: size)
        #expect(taken.head == ResponseFraming.Head(status: answer.status, keepsConnection: answer.keeps))
        #expect(taken.body == answer.body)
        #expect(taken.isAtEnd)
    }

    /// Searching for the end from the start at each piece would take minutes.
    @Test func `a long head may come byte by byte`() throws {
        let field = String(repeating: "x", count: 60_000)
        let taken = try take("HTTP/1.1 200 OK\r\nX: \(field)\r\nContent-Length: 2\r\n\r\nok", by: 1)
        #expect(taken.head?.status == 200 && taken.body == "ok" && taken.isAtEnd)
    }

    @Test func `without a length the body ends with the connection`() throws {
        let taken = try take("HTTP/1.1 200 OK\r\n\r\nall of it", by: 4, closes: true)
        #expect(taken.head?.keepsConnection == false)
        #expect(taken.body == "all of it")
        #expect(taken.isAtEnd)
    }

    @Test(
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            chunked + "3\r\nab",
            chunked + "3\r\nabc\r\n", chunked + "0\r\n",
        ])
    func `an answer that breaks off is lost`(text: String) {
        #expect(throws: ConnectionFailure.self) { try take(text, by: 4096, closes: true) }
    }

    @Test(
        arguments: [
            "SSH-2.0-OpenSSH_9.6\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", chunked + "zz\r\n", chunked + "1\r\nab\r\n",
            "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70_000),
        ])
    func `an invalid reply is refused`(text: String) {
        #expect(throws: ConnectionFailure.self) { try take(text, by: 4096) }
    }

    @Test func `bytes beyond the end are no part of it, and their connection is not used again`() throws {
        let taken = try take("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokmore", by: 4096)
        #expect(taken.body == "ok")
        #expect(!taken.isAtEnd)
    }
}
