import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `An origin without misbehaviour` {
    private let body = SeededBody(seed: 5, size: 200_001)
    private var script: OriginScript { OriginScript(body) }
    private var etag: String { OriginResource.etag(of: body) }

    @Test func `answers with length, strong ETag, dates and the body`() async throws {
        try await withOrigin(script) { origin in
            let answer = try await RawClient.get(origin.port)
            #expect(answer.status == 200)
            #expect(answer.value("Content-Length") == "200001")
            #expect(answer.value("ETag") == etag)
            #expect(answer.value("Accept-Ranges") == "bytes")
            #expect(answer.value("Last-Modified") == "Mon, 01 Jan 2024 00:00:00 GMT")
            #expect(answer.value("Date")?.hasSuffix(" GMT") == true)
            #expect(answer.body == body.bytes)
            await origin.waitForIdle()
            #expect(origin.bytesSent == 200_001)
        }
    }

    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=100-", 100..<200_001), ("bytes=5-300000", 5..<200_001),
            ("bytes=-10", 199_991..<200_001),
        ] as [(String, Range<Int64>)])
    func `answers a range with that part`(field: String, range: Range<Int64>) async throws {
        try await withOrigin(script) { origin in
            let answer = try await RawClient.get(origin.port, "/a", "Range: \(field)")
            #expect(answer.status == 206)
            #expect(answer.value("Content-Range") == "bytes \(range.lowerBound)-\(range.upperBound - 1)/200001")
            #expect(answer.body == body.bytes(in: range))
        }
    }

    @Test func `answers a range past the end with 416`() async throws {
        try await withOrigin(script) { origin in
            let answer = try await RawClient.get(origin.port, "/a", "Range: bytes=200001-")
            #expect(answer.status == 416)
            #expect(answer.value("Content-Range") == "bytes */200001")
        }
    }

    @Test func `honours If-Range by strong comparison`() async throws {
        try await withOrigin(script) { origin in
            for (validator, status) in [
                (etag, 206), ("W/" + etag, 200), ("\"other\"", 200), ("Mon, 01 Jan 2024 00:00:00 GMT", 206),
                ("Mon, 01 Jan 2024 00:00:01 GMT", 200),
            ] {
                let answer = try await RawClient.get(
                    origin.port, "/a", "Range: bytes=1-2", "If-Range: \(validator)")
                #expect(answer.status == status, "\(validator)")
            }
        }
    }

    @Test func `answers an unchanged resource with 304`() async throws {
        try await withOrigin(script) { origin in
            let answer = try await RawClient.get(origin.port, "/a", "If-None-Match: W/\(etag)")
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
        }
    }

    @Test func `answers HEAD without body`() async throws {
        try await withOrigin(script) { origin in
            let answer = try await RawClient.get(origin.port, method: "HEAD")
            #expect(answer.value("Content-Length") == "200001")
            #expect(answer.body.isEmpty)
        }
    }

    @Test func `records each request byte for byte`() async throws {
        try await withOrigin(script) { origin in
            _ = try await RawClient.get(origin.port, "/a?b=c", "x-Odd:  v1", "X-Odd: v2")
            let request = try #require(origin.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/a?b=c")
            #expect(request.path == "/a")
            #expect(request.values("x-odd") == ["v1", "v2"])
            #expect(request.connection == 1)
            #expect(String(decoding: request.headBytes, as: UTF8.self).contains("\r\nx-Odd:  v1\r\n"))
        }
    }

    @Test func `a changed script counts requests from 1 again`() async throws {
        try await withOrigin(OriginScript(body, .on(.request(1), .status(503)))) { origin async throws in
            #expect(try await RawClient.get(origin.port).status == 503)
            #expect(try await RawClient.get(origin.port).status == 200)
            origin.script = OriginScript(body, .on(.request(1), .status(429, retryAfter: "7")))
            #expect(try await RawClient.get(origin.port).value("Retry-After") == "7")
            #expect(try await RawClient.get(origin.port).status == 200)
            #expect(origin.requests.count == 4)
        }
    }

    @Test func `refuses connections and accepts them again on the same port`() async throws {
        try await withOrigin(script) { origin in
            await origin.refuseConnections()
            await #expect(throws: (any Error).self) { try await RawClient.get(origin.port) }
            try await origin.acceptConnections()
            #expect(try await RawClient.get(origin.port).status == 200)
        }
    }
}
