import FerryCore
import FerryRules
import Testing

@Suite struct `Unambiguous heads` {
    private func read(_ lines: String, version: String = "HTTP/1.1") -> UnambiguousHead? {
        UnambiguousHead(Array("\(version) 200 OK\r\n\(lines)\r\n\r\n".utf8))
    }

    @Test func `have a status, fields in their order, and a length`() throws {
        let head = try #require(read("ETag: \"v1\"\r\ncontent-length:  42 \r\nX-T:\tt\r\nX-A: a: b\r\nX-A:"))
        #expect(head.status.number == 200 && head.length == 42 && head.isKeepAlive)
        #expect(
            head.fields.map { "\($0.name)=\($0.value)" } == [
                "ETag=\"v1\"", "content-length=42", "X-T=t", "X-A=a: b", "X-A=",
            ])
        #expect(UnambiguousHead(Array("HTTP/1.1 404 \r\n\r\n".utf8))?.length == nil)
    }

    @Test(arguments: ["close", "Close", "keep-alive, close"])
    func `say that the connection ends`(value: String) throws {
        #expect(read("Connection: \(value)")?.isKeepAlive == false)
    }

    @Test(arguments: [
        "X-A: a\r\n b", "X-A: ü", "X-A: a\u{1}", "X-A: a\rb", "no field", ": a", "X A: a", "X-A : a", "X-A: a\nX-B: b",
        "Transfer-Encoding: chunked", "Content-Length: 1\r\nContent-Length: 1", "Content-Length: 1, 1",
        "Content-Length: -1", "Content-Length: 1x", "Content-Length:", "Content-Length:\t1", "Content-Length: 1\t",
    ])
    func `are no heads that another codec may read differently`(lines: String) {
        #expect(read(lines) == nil)
    }

    @Test func `have the version and a status line of HTTP/1.1`() {
        #expect(read("X-A: a", version: "HTTP/1.0") == nil && read("X-A: a", version: "HTTP/2") == nil)
        for line in ["HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 101 Switching", "HTTP/1.1  200 OK", "HTTP/1.1"] {
            #expect(UnambiguousHead(Array("\(line)\r\nX-A: a\r\n\r\n".utf8)) == nil, "\(line)")
        }
    }
}
