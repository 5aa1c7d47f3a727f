import FerryCore
import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryEngine

/// A regression: the HTTP client traps at a status below 100, an informational status that ends its stream, and a
/// second final head. One line from one server ended the daemon and all its downloads.
@Suite(.timeLimit(.minutes(1))) struct `Status codes of hostile servers` {
    /// Makes one attempt at a server that sends these bytes, and returns the errors. The process must survive.
    private func codes(of answer: String, proxied: Bool = false) async throws -> [ErrorCode] {
        try await withRawServer(answering: answer, closes: proxied) { port in
            try await withEngine { harness in
                let url = proxied ? "https://origin.test/file.bin" : "http://127.0.0.1:\(port)/file.bin"
                let request = harness.request(url) {
                    if proxied { $0.transport.proxyEnvironment = ["https_proxy": "http://127.0.0.1:\(port)"] }
                }
                let history = await harness.transfer(request, tries: 1)
                #expect(history.success == nil && harness.text("file.bin") == nil)
                return history.codes
            }
        }
    }

    @Test(arguments: [
        "000", "001", "009", "010", "042", "099", "101", "0x1", "-12", "20", "2000", "²00", "", "0", "00 ",
    ])
    func `a status that is none is a bad response`(status: String) async throws {
        let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try await codes(of: answer) == [.badResponse])
        #expect(try await codes(of: "HTTP/1.1 103 Early Hints\r\n\r\n\(answer)") == [.badResponse])
    }

    @Test(arguments: ["000", "099", "101", "199", "200", "299", "407", "599", "600", "999", "20"])
    func `a proxy may answer with any status and any bytes after it`(status: String) async throws {
        for rest in ["", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
            let answer = "HTTP/1.1 \(status) X\r\n\(rest)\r\nhello, and more than that\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
            #expect(try await codes(of: answer, proxied: true).count == 1)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9]) func `each hundred from 100 on ends in an error or the file`(
        hundred: Int
    ) async throws {
        for status in [hundred * 100, hundred * 100 + 42, hundred * 100 + 99] {
            let answer = "HTTP/1.1 \(status) X\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
            try await withEngine(OriginScript(always: .raw(Array(answer.utf8)))) { harness, origin in
                let history = await harness.transfer(harness.request(origin.url()), tries: 1)
                #expect(history.reports.count == 1)
                #expect((history.success != nil) == (200...299).contains(status), "\(status): \(history.errors)")
            }
        }
    }

    @Test(
        arguments: [
            ["0"], ["50"], ["099"], [""], ["-1"], ["+200"], ["1000", "200"], ["101", "200"], ["1"], ["20"], ["abc"],
            ["99999999999999999999"], ["103", "000"], ["103", ""], ["103", "101", "200"], [.init("100", ends: true)],
            [.init("050", ends: true)],
        ] as [[FailingHTTP2Server.Head]])
    func `a status of HTTP2 that is none is a bad response`(heads: [FailingHTTP2Server.Head]) async throws {
        let history = try await history(of: heads)
        #expect(history.codes == [.badResponse], "\(history.errors)")
    }

    @Test(arguments: [["200"], ["103", "200"], ["100", "103", "200"]] as [[FailingHTTP2Server.Head]])
    func `heads of HTTP2 that are good are read`(heads: [FailingHTTP2Server.Head]) async throws {
        let history = try await history(of: heads)
        #expect(history.success?.size == Int64(FailingHTTP2Server.text2.utf8.count), "\(history.errors)")
    }

    private func history(of heads: [FailingHTTP2Server.Head]) async throws -> History {
        let server = try await FailingHTTP2Server.start(.heads(heads))
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        do {
            let history = try await withEngine(configured: { $0.trust = trust }) { harness in
                await harness.transfer(harness.request(server.url("/file.bin")), tries: 1) { $0.offersHTTP2 = true }
            }
            await server.shutdown()
            return history
        } catch {
            await server.shutdown()
            throw error
        }
    }

    /// A regression: NIO writes such a large head at once, and the client trapped when the channel became writable
    /// during that write.
    @Test(arguments: [40_000, 60_000]) func `a request with a body may have a head as large as any`(size: Int)
        async throws
    {
        try await withClient(OriginScript(always: .status(201, body: "made"))) { harness, origin in
            let path = harness.outside.file("upload")
            try Data("body".utf8).write(to: URL(filePath: path))
            var facts = stat()
            try #require(unsafe stat(path, &facts) == 0)
            let modified = Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec)
            let request = harness.task(origin.url("/" + String(repeating: "p", count: 8000))) {
                $0.file.name = "file.bin"
                $0.method = "POST"
                $0.body = .file(RequestBody.SentFile(path: path, size: 4, modified: modified))
                $0.headers = (0..<4).map {
                    HeaderField(name: "X-\($0)", value: String(repeating: "v", count: size / 4))
                }
            }
            let history = await harness.transfer(request, tries: 1)
            #expect(history.reports.count == 1)
        }
    }
}
