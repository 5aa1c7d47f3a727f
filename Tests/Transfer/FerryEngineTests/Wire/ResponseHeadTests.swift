import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Heads of responses` {
    /// Makes one attempt at a server that responds to each request with the same bytes and closes the connection.
    private func history(
        of head: String, body: String = "hello", check: (EngineHarness, History) throws -> Void
    ) async throws {
        let answer = Array("\(head)\(head.hasSuffix("\n\n") ? "" : "\r\n")\(body)".utf8)
        try await withEngine(OriginScript(always: .raw(answer))) { harness, origin in
            try check(harness, await harness.transfer(harness.request(origin.url()), tries: 1))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nX-A: a\r\n  b\r\nContent-Length: 5\r\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 5\n\n", "HTTP/1.1 200 OK\r\nX-A: a\u{1}\u{0}b\r\nContent-Length: 5\r\n",
        "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        "HTTP/1.1 103 Early Hints\nX-A: a\n\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
        "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\nContent-Length: 5\n\n",
        "HTTP/1.1 103 Early Hints\r\nX-A: a\r\n b\r\n\r\nHTTP/1.1 200 OK\r\nX-A:\r\n b\r\nContent-Length: 5\r\n",
    ])
    func `a head of one meaning is read whatever its form`(head: String) async throws {
        // Bytes beyond the stated length show where the parser ended the body.
        try await history(of: head, body: "hello, and more") { harness, history in
            #expect(history.success?.size == 5, "\(history.errors)")
            #expect(harness.text("file.bin") == "hello")
        }
    }

    /// A regression: the heads before the final one were kept in memory without a limit.
    @Test(arguments: [(32, 40, true), (33, 40, false), (1, 60_000, true), (2, 60_000, false), (1, 200_000, false)])
    func `informational heads are limited in number and size`(count: Int, size: Int, isRead: Bool) async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nX: \(String(repeating: "x", count: size - 33))\r\n\r\n"
        let head = String(repeating: early, count: count) + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
        try await history(of: head) { harness, history in
            #expect(history.codes == (isRead ? [] : [.badResponse]))
            #expect(harness.text("file.bin") == (isRead ? "hello" : nil))
            if !isRead {
                #expect(history.errors.first?.message.contains("too many informational responses") == true)
            }
        }
    }

    @Test func `a tab before a length is read by every path`() async throws {
        for isShort in [false, true] {
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length:\t5\r\n\r\nhello".utf8)
            try await withEngine(OriginScript(always: .raw(answer))) { harness, origin in
                let history = await harness.transfer(harness.request(origin.url()), tries: 1) {
                    if isShort { EngineHarness.expectShort(&$0) }
                }
                #expect(history.success?.size == 5, "\(history.errors)")
            }
        }
    }

    /// A codec that removes chunk framing only if `chunked` comes last would deliver the chunk sizes as content.
    @Test(arguments: [
        "chunked, identity", "identity", "chunked, chunked", "gzip, chunked", "gzip", "", "chunked;q=1", "\"chunked\"",
    ])
    func `any Transfer-Encoding but a single chunked is refused`(coding: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n"
        try await history(of: head, body: "5\r\nhello\r\n0\r\n\r\n") { harness, history in
            #expect(history.codes == [.badResponse])
            #expect(history.errors.first?.message.contains("Transfer-Encoding") == true, "\(history.errors)")
            #expect(harness.text("file.bin") == nil)
            #expect(history.facts.ranges.isEmpty)
        }
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED ", "\r\n chunked"])
    func `a single chunked is taken apart however it is written`(coding: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n"
        try await history(of: head, body: "5\r\nhello\r\n0\r\n\r\n") { harness, history in
            #expect(history.success?.size == 5, "\(history.errors)")
            #expect(harness.text("file.bin") == "hello")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n",
        "HTTP/1.1 200 OK\r\nX-A: a\nContent-Length: 5\r\n", "HTTP/1.1 200 O\u{0}K\r\nContent-Length: 5\r\n",
        "HTTP/1.1 200 OK\r\nETag: \"a\u{1}\"\r\nContent-Length: 5\r\n",
        "HTTP/1.1 200 OK\r\n X-A: a\r\nContent-Length: 5\r\n",
    ])
    func `a head of two meanings is refused with its reason`(head: String) async throws {
        try await history(of: head) { harness, history in
            #expect(history.codes == [.badResponse])
            #expect(history.errors.first?.message.contains("cannot be read: it has ") == true, "\(history.errors)")
            #expect(harness.text("file.bin") == nil)
        }
    }

    @Test func `a head without end is given up at its limit`() async throws {
        try await withEngine(OriginScript(always: .headFlood(.endless))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(history.codes == [.badResponse], "\(history.errors)")
        }
    }

    @Test(arguments: [
        ([UInt8]("attachment; filename=\"foo-".utf8) + [0xE4] + [UInt8](".html\"".utf8), "foo-ä.html"),
        ([UInt8]("attachment; filename=\"foo-ä.html\"".utf8), "foo-ä.html"),
        ([UInt8]("attachment; filename*=utf8''foo-%C3%A4.html".utf8), "foo-ä.html"),
    ])
    func `a proposed name may have raw bytes`(disposition: [UInt8], name: String) async throws {
        let answer =
            Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Disposition: ".utf8) + disposition
            + Array("\r\n\r\nhello".utf8)
        try await withEngine(OriginScript(always: .raw(answer))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(history.success?.path == harness.path(name), "\(history.errors)")
        }
    }

    /// A connection is reused after its head was repaired, and its next head is repaired too.
    @Test func `heads are mended one after the other on one connection`() async throws {
        let body = SeededBody(seed: 81, size: 30_000)
        try await withLoads(OriginScript(body, always: .field("X-A", "a\r\n b"))) { harness async throws in
            for _ in 1...3 {
                let load = harness.load()
                #expect(try await load.head().value("X-A") == "a b")
                #expect(try await load.rest() == body.bytes)
            }
            #expect(harness.origin.facts.connections == 1)
        }
    }
}
