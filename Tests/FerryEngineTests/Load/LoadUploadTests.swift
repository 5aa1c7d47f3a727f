import FerryCore
import FerryEngine
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Load and request bodies` {
    private let content = SeededBody(seed: 73, size: 1_000_000)

    /// Brings a body in pieces, and again from its beginning if it may.
    private final class Pieces: LoadBodySource {
        private let bytes: [UInt8]
        private let position = Mutex(0)
        private let isRepeatable: Bool

        init(_ bytes: [UInt8], isRepeatable: Bool = true) {
            self.bytes = bytes
            self.isRepeatable = isRepeatable
        }

        func next() async throws -> Data? {
            position.withLock { position in
                guard position < bytes.count else { return nil }
                let end = min(position + 70_000, bytes.count)
                defer { position = end }
                return Data(bytes[position..<end])
            }
        }

        func rewound() async throws -> (any LoadBodySource)? { isRepeatable ? Pieces(bytes) : nil }
    }

    private struct Failing: LoadBodySource {
        func next() async throws -> Data? { throw TransferError(.invalidRequest, "No more.") }
        func rewound() async throws -> (any LoadBodySource)? { nil }
    }

    private func bodies(_ folder: TemporaryFolder) throws -> [LoadBody] {
        let path = folder.file("body")
        try Data(content.bytes).write(to: URL(filePath: path))
        return [
            .bytes(Data(content.bytes)), .file(path: path), .stream(Pieces(content.bytes), length: content.size),
            .stream(Pieces(content.bytes), length: nil),
        ]
    }

    @Test func `a body arrives from memory, file and stream`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withLoads(OriginScript()) { harness async throws in
            for body in try bodies(folder) {
                let load = harness.load(method: "PUT", body: body)
                let sent = Mutex<[Int64]>([])
                load.onSent { count in sent.withLock { $0.append(count) } }
                #expect(try await load.head().status == 200)
                _ = try await load.rest()
                let last = try #require(harness.origin.requests.last)
                #expect(last.body == content.bytes)
                #expect(last.value("Expect") == nil)
                #expect(sent.withLock { $0.last } == content.size)
                #expect(sent.withLock { $0 == $0.sorted() && $0.count > 1 })
                #expect(load.exchanges.last?.requestBodyBytes == content.size)
                #expect(load.exchanges.last?.requestEnd != nil)
            }
            #expect(harness.origin.requests.last?.value("Transfer-Encoding") == "chunked")
            #expect(harness.origin.requests.first?.value("Content-Length") == "\(content.size)")
        }
    }

    @Test func `25 every kind of body is sent again after a challenge`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withLoads(OriginScript(always: .basic(user: "u", password: "p"))) { harness async throws in
            for body in try bodies(folder) {
                let load = harness.load(method: "POST", body: body) {
                    $0.credentials = Credentials(user: "u", password: "p")
                }
                #expect(try await load.head().status == 200)
                _ = try await load.rest()
                #expect(harness.origin.requests.last?.body == content.bytes)
            }
        }
    }

    @Test func `a stream that cannot begin again ends the load`() async throws {
        try await withLoads(OriginScript(rules: [.on(.path("/old"), .redirect(to: "/new", status: 307))])) {
            harness async throws in
            let source = Pieces(content.bytes, isRepeatable: false)
            let load = harness.load("/old", method: "POST", body: .stream(source, length: nil))
            #expect(await load.failure()?.details.urlError == -1021)
        }
    }

    @Test func `a stream that fails or has another length ends the load`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let failing = harness.load(method: "POST", body: .stream(Failing(), length: nil))
            #expect(await failing.failure()?.code == .invalidRequest)
            for length in [content.size + 1, content.size - 1] {
                let load = harness.load(method: "POST", body: .stream(Pieces(content.bytes), length: length))
                #expect(await load.failure()?.details.urlError == -1021)
            }
        }
    }

    @Test func `files that cannot be sent have codes of their own`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await withLoads(OriginScript()) { harness async throws in
            for (path, code) in [(folder.file("none"), -1100), (folder.path, -1101), ("/dev/null", -1102)] {
                #expect(await harness.load(method: "PUT", body: .file(path: path)).failure()?.details.urlError == code)
            }
            #expect(harness.origin.requests.isEmpty)
        }
    }

    @Test func `an answer before the body has been sent is the result`() async throws {
        let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        try await withRawServer(answering: refusal) { port in
            try await withLoads(OriginScript()) { harness async throws in
                let endless = EndlessPieces()
                let load = harness.load(
                    "http://127.0.0.1:\(port)/", method: "POST", body: .stream(endless, length: nil))
                #expect(try await load.head().status == 413)
                #expect(try await load.rest() == Array("no".utf8))
            }
        }
    }
}
