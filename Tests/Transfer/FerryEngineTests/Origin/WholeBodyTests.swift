import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Whole bodies` {
    private let body = SeededBody(seed: 11, size: 300_000)

    @Test func `O1 a plain file takes one request`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.success?.lengthVerified == true)
            #expect(history.reports.count == 1)
            #expect(origin.requests.count == 1)
            let request = try #require(origin.requests.first)
            #expect(request.value("Range") == nil)
            #expect(request.value("If-Range") == nil)
            #expect(request.value("Accept") == "*/*")
            #expect(request.value("User-Agent") == "Ferry/\(FerryVersion.current)")
            #expect(request.value("Want-Repr-Digest") == "sha-256=10, sha-512=5")
        }
    }

    @Test func `O2 the end of a chunked body determines its length`() async throws {
        try await withEngine(OriginScript(body, always: .chunked)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.success?.lengthVerified == true)
            #expect(history.facts.identity?.completeLength == body.size)
        }
    }

    @Test(arguments: [false, true])
    func `O3 a body that ends with its connection is whole, and the record says so`(expectsSize: Bool) async throws {
        try await withEngine(OriginScript(body, always: .untilClose)) { harness, origin in
            let request = harness.request(origin.url()) { if expectsSize { $0.response.expectedSize = body.size } }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.success?.lengthVerified == expectsSize)
            #expect(history.facts.notes.contains("length unverified") == !expectsSize)
        }
    }

    @Test func `O4 an empty file takes one request`() async throws {
        try await withEngine(OriginScript(body, always: .empty)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, SeededBody(seed: 11, size: 0))
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `O11 a chunked body without its last chunk is continued where it ended`() async throws {
        let script = OriginScript(body, .on(.request(1), .chunkCut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(origin.requests.map { $0.value("Range") } == [nil, "bytes=150000-"])
        }
    }

    @Test func `O11 a chunked body without its last chunk is never whole`() async throws {
        let script = OriginScript(body, always: .chunkCut(after: 300_000), .etag(nil), .lastModified(nil))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.timing.retries = 0 })
            #expect(history.failure?.code == .connectionLost)
            #expect(harness.contents == [EngineHarness.partialName])
        }
    }

    @Test func `O12 a TLS connection cut without close_notify ends no file`() async throws {
        let script = OriginScript(body, always: .tlsTruncate(after: 300_000), .etag(nil), .lastModified(nil))
        try await withEngine(script, tls: .trusted) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.timing.retries = 0 })
            #expect(history.failure?.code == .connectionLost)
            #expect(harness.contents == [EngineHarness.partialName])
        }
    }

    @Test func `O12 close_notify ends a body without length`() async throws {
        try await withEngine(OriginScript(body, always: .untilClose), tls: .trusted) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test func `O13 a body shorter than its length is never whole`() async throws {
        try await withEngine(OriginScript(body, always: .lengthTooLong(by: 1000))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.success == nil)
            #expect(harness.contents.contains("file.bin") == false)
        }
    }

    @Test func `O14 bytes after the stated length are no part of the file and harm no other`() async throws {
        let script = OriginScript(body, .on(.path("/short.bin"), .lengthTooShort(by: 1000)))
        try await withEngine(script) { harness, origin in
            let short = await harness.transfer(harness.request(origin.url("/short.bin")))
            #expect(short.success?.size == 299_000)
            let bytes = try Data(contentsOf: URL(filePath: harness.path("short.bin")))
            #expect(Array(bytes) == body.bytes(in: 0..<299_000))
            let next = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(next, body, among: ["short.bin"])
        }
    }

    @Test(arguments: [1, 1000])
    func `O39 an unrequested coding is stored as sent and never resumed`(codings: Int) async throws {
        let script = OriginScript(
            body, .always(.gzipAnyway(codings: codings)), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            let success = try #require(history.success)
            #expect(Array(try Data(contentsOf: URL(filePath: success.path))) == StoredGzip.encode(body.bytes))
            #expect(harness.contents == ["file.bin"])
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
            #expect(!history.facts.notes.isEmpty)
        }
    }

    @Test func `O47 a generated body is one response whole, after a cut from its beginning`() async throws {
        let script = OriginScript(body, .always(.generated), .on(.request(1), .chunkCut(after: 100_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, SeededBody(seed: 11 + 2 << 32, size: body.size))
            #expect(origin.requests.map { $0.value("Range") } == [nil, nil])
        }
    }

    @Test func `O48 bytes outside the requested range are rejected`() async throws {
        let script = OriginScript(body, .on(.request(1), .unasked))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url("/a.bin"))), body, name: "a.bin")
            let next = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(next, body, among: ["a.bin"])
            #expect(next.reports.count == 1)
        }
    }

    @Test(arguments: [(299_999, nil, .lengthMismatch), (nil, 299_999, .tooLarge)] as [(Int64?, Int64?, ErrorCode)])
    func `R15 I7 a length that the caller rules out stores no byte`(
        expected: Int64?, maximum: Int64?, code: ErrorCode
    ) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.response.expectedSize = expected
                $0.response.maxSize = maximum
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == code)
            #expect(harness.contents == [])
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [false, true]) func `I7 a body of exactly the maximum arrives`(isChunked: Bool) async throws {
        let script = isChunked ? OriginScript(body, always: .chunked) : OriginScript(body)
        try await withEngine(script) { harness, origin in
            try harness.expectFile(
                await harness.transfer(harness.request(origin.url()) { $0.response.maxSize = body.size }), body)
        }
    }

    @Test func `I7 a body without length stops at the byte that exceeds the maximum`() async throws {
        try await withEngine(OriginScript(body, always: .chunked)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.response.maxSize = 200_000 })
            #expect(history.failure?.code == .tooLarge)
            #expect(harness.contents == [])
        }
    }
}
