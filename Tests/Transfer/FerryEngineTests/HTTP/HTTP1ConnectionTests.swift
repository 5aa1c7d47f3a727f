import FerryCore
import FerryRules
import NIOCore
import NIOEmbedded
import Testing

@testable import FerryEngine

@Suite struct `A connection of HTTP1` {
    private func withConnection(_ body: (EmbeddedConnection) async throws -> Void) async throws {
        try await withEngine { harness in
            let connection = try EmbeddedConnection(harness.engine)
            try await body(connection)
            _ = try? connection.channel.finish(acceptAlreadyClosed: true)
        }
    }

    private static let responses: [(text: String, body: String, isReusable: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhello", "hello", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello", "hello", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", false),
        ("HTTP/1.1 204 No Content\r\n\r\n", "", true),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello", true),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nExpires: never\r\n\r\n", "hello",
            true
        ),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello",
            true
        ),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "hello", false),
        ("\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello", true),
    ]

    @Test(arguments: responses.indices) func `reads a response wherever its bytes are cut`(index: Int) async throws {
        let (text, body, isReusable) = Self.responses[index]
        for cut in 0...text.utf8.count {
            try await withConnection { connection in
                let receiver = try #require(try connection.ask())
                let bytes = Array(text.utf8)
                for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
                    try connection.receive(String(decoding: part, as: UTF8.self))
                }
                let all = receiver.all
                #expect(all.ends == ["complete"] && all.body == body && all.misplaced == 0, "cut at \(cut)")
                #expect(connection.ends == [isReusable], "cut at \(cut)")
            }
        }
    }

    @Test func `reads one response after the other, whatever frames them`() async throws {
        try await withConnection { connection in
            for (text, body, isReusable) in Self.responses where isReusable {
                let receiver = try #require(try connection.ask())
                try connection.receive(text)
                #expect(receiver.all.ends == ["complete"] && receiver.all.body == body)
            }
            #expect(connection.ends.allSatisfy { $0 })
        }
    }

    @Test func `expects no body of HEAD`() async throws {
        try await withConnection { connection in
            let head = try #require(try connection.ask("HEAD"))
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            #expect(head.all.ends == ["complete"] && connection.ends == [true])
            let next = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
            #expect(next.all.body == "hello")
        }
    }

    @Test func `ends with the connection where nothing else frames the body`() async throws {
        try await withConnection { connection in
            let receiver = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\n\r\nhel")
            try connection.receive("lo")
            #expect(receiver.all.ends.isEmpty)
            connection.closeByServer()
            #expect(receiver.all.ends == ["complete"] && receiver.all.body == "hello" && connection.ends == [false])
        }
    }

    @Test func `reports the trailers of each response alone`() async throws {
        try await withConnection { connection in
            let first = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n")
            #expect(first.all.ends.isEmpty)
            try connection.receive("C: d\r\n\r\n")
            #expect(first.all.trailers == [HeaderField(name: "A", value: "b"), HeaderField(name: "C", value: "d")])
            let second = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            #expect(second.all.ends == ["complete"] && second.all.trailers.isEmpty && connection.ends == [true, true])
        }
    }

    /// Bytes of one response must never be taken for the next one.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more",
        "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
    func `is not used again after bytes behind a response`(text: String) async throws {
        try await withConnection { connection in
            let receiver = try #require(try connection.ask())
            try connection.receive(text)
            #expect(receiver.all.ends == ["complete"] && connection.ends == [false])
        }
    }

    @Test func `closes when bytes come that nobody asked for`() async throws {
        try await withConnection { connection in
            _ = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(!connection.channel.isActive && connection.isClosed)
            #expect(try connection.ask() == nil)
        }
    }

    // MARK: Ends of reused connections (docs/behaviour/transfers.md#T4)

    private func isStale(_ receiver: RecordingReceiver) -> Bool { receiver.all.ends == ["ReusedConnectionClosed()"] }

    @Test func `is stale when it closes under a later request, not under its first`() async throws {
        try await withConnection { connection in
            let first = try #require(try connection.ask())
            connection.closeByServer()
            #expect(first.all.ends == ["closedBeforeHead"])
        }
        try await withConnection { connection in
            _ = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let second = try #require(try connection.ask())
            connection.closeByServer()
            #expect(isStale(second))
        }
    }

    /// An informational response is an answer, so the request has arrived.
    @Test(arguments: [
        ["HTTP/1.1 104 Upload\r\nLocation: /1\r\n\r\n"], ["HTTP/1.1 104 Upload\r\nLoca", "tion: /1\r\n\r\n"], ["HTT"],
    ])
    func `is not stale once anything was answered`(pieces: [String]) async throws {
        try await withConnection { connection in
            _ = try #require(try connection.ask())
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let second = try #require(try connection.ask())
            for piece in pieces { try connection.receive(piece) }
            connection.closeByServer()
            #expect(!isStale(second) && second.all.ends.count == 1)
        }
    }

    // MARK: Reading

    @Test func `does not read on while a part is not taken, and keeps what has come`() async throws {
        try await withConnection { connection in
            let receiver = RecordingReceiver(holdingOn: connection.channel.embeddedEventLoop)
            _ = try #require(try connection.ask("GET", receiver))
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            try connection.receive("def")
            try connection.receive("ghi")
            #expect(receiver.all.body == "abc" && connection.connection.delivery.isBlocked)
            connection.closeByServer()
            for expected in ["abcdef", "abcdefghi"] {
                receiver.release()
                #expect(receiver.all.body == expected && receiver.all.ends.isEmpty)
            }
            receiver.release()
            #expect(receiver.all.ends == ["complete"] && receiver.all.misplaced == 0)
        }
    }

    @Test func `delivers what has come before a failure`() async throws {
        try await withConnection { connection in
            let receiver = RecordingReceiver(holdingOn: connection.channel.embeddedEventLoop)
            _ = try #require(try connection.ask("GET", receiver))
            try connection.receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            try connection.receive("def")
            connection.closeByServer()
            receiver.release()
            receiver.release()
            #expect(receiver.all.body == "abcdef" && receiver.all.ends == ["closedEarly"])
        }
    }

    // MARK: Requests

    @Test func `sends exactly the fields of the request, and the framing of its body`() async throws {
        try await withConnection { connection in
            _ = try connection.ask()
            #expect(try connection.sent() == "GET /file HTTP/1.1\r\nHost: host.example\r\n\r\n")
        }
        try await withConnection { connection in
            _ = try connection.ask("POST")
            #expect(try connection.sent() == "POST /file HTTP/1.1\r\nHost: host.example\r\nContent-Length: 0\r\n\r\n")
        }
    }

    @Test(arguments: [
        ("GET", [HeaderField(name: "X", value: "a\r\nY: b")]), ("GET", [HeaderField(name: "X: y", value: "a")]),
        ("GET", [HeaderField(name: "", value: "a")]), ("GET /x", []), ("", []),
    ])
    func `sends nothing that would be read as something else`(method: String, fields: [HeaderField]) throws {
        let url = try HTTPURL(parsing: "http://host.example/")
        let error = #expect(throws: ServiceError.self) { try RequestHead(method, url, fields, proxy: nil) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `leaves the framing of the body to itself`() throws {
        let url = try HTTPURL(parsing: "http://host.example/")
        let given = ["Content-Length", "transfer-encoding", "X"].map { HeaderField(name: $0, value: "1") }
        #expect(try RequestHead("GET", url, given, proxy: nil).fields.map(\.name) == ["X"])
    }
}
