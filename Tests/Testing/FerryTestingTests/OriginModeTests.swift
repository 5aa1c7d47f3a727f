import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Modes of the origin` {
    private let body = SeededBody(seed: 9, size: 300_000)

    /// Returns the response to one request in the given modes.
    private func answer(_ modes: OriginMode..., fields: String = "X-Nothing: 1") async throws -> RawClient.Answer {
        let script = OriginScript(body, rules: [OriginRule(condition: .always, modes: modes)])
        return try await withOrigin(script) { try await RawClient.get($0.port, "/file.bin", fields) }
    }

    @Test func `cut ends the connection in order after so many bytes`() async throws {
        let answer = try await answer(.cut(after: 150_000))
        #expect(answer.body == body.bytes(in: 0..<150_000))
        #expect(!answer.failed)
        #expect(answer.value("Content-Length") == "300000")
    }

    @Test func `reset sends RST after so many bytes`() async throws {
        let answer = try await answer(.reset(after: 150_000))
        #expect(answer.failed)
        #expect(answer.body == body.bytes(in: 0..<150_000))
    }

    @Test func `a head can fail to come`() async throws {
        #expect(try await answer(.closeBeforeHead).bytes.isEmpty)
        #expect(try await answer(.resetBeforeHead).failed)
    }

    @Test func `chunked has no length and a last chunk`() async throws {
        let answer = try await answer(.chunked)
        #expect(answer.value("Transfer-Encoding") == "chunked")
        #expect(answer.value("Content-Length") == nil)
        #expect(answer.bytes.suffix(7) == Array("\r\n0\r\n\r\n".utf8)[...])
    }

    @Test func `chunk-cut has no last chunk`() async throws {
        let answer = try await answer(.chunkCut(after: 1_000_000))
        #expect(answer.bytes.suffix(5) != Array("0\r\n\r\n".utf8)[...])
        #expect(answer.body.count > 300_000)
    }

    @Test func `until-close is HTTP/1.0 without length`() async throws {
        let answer = try await answer(.untilClose)
        #expect(answer.text.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(answer.value("Content-Length") == nil)
        #expect(answer.body == body.bytes)
    }

    @Test func `framing can lie`() async throws {
        #expect(try await answer(.lengthTooLong(by: 10)).value("Content-Length") == "300010")
        let short = try await answer(.lengthTooShort(by: 10))
        #expect(short.value("Content-Length") == "299990")
        #expect(short.body.count == 300_000)
        #expect(try await answer(.twoLengths).head.contains("Content-Length: 300000\r\nContent-Length: 300001"))
        let both = try await answer(.lengthAndChunked).head
        #expect(both.contains("Content-Length: 300000\r\nTransfer-Encoding: chunked"))
        #expect(try await answer(.badChunkSize("-1")).body.starts(with: Array("-1\r\n".utf8)))
    }

    @Test func `ranges can be answered wrongly`() async throws {
        let range = "Range: bytes=1000-1999"
        #expect(try await answer(.noRanges, fields: range).status == 200)
        #expect(try await answer(.acceptRangesNone, fields: range).value("Accept-Ranges") == "none")
        let fromZero = try await answer(.rangeFromZero, fields: range)
        #expect(fromZero.value("Content-Range") == "bytes 0-1999/300000")
        #expect(fromZero.body == body.bytes(in: 0..<2000))
        #expect(try await answer(.rangeSubset(10), fields: range).body == body.bytes(in: 1000..<1010))
        #expect(try await answer(.rangeExcess(10), fields: range).body == body.bytes(in: 1000..<2010))
        let multipart = try await answer(.multipartRange, fields: range)
        #expect(multipart.value("Content-Type")?.hasPrefix("multipart/byteranges") == true)
        #expect(multipart.value("Content-Range") == nil)
        #expect(try await answer(.unsatisfiable(.bare), fields: range).status == 416)
    }

    @Test(arguments: ContentRangeFault.allCases)
    func `Content-Range can be anything`(fault: ContentRangeFault) async throws {
        let answer = try await answer(.contentRange(fault), fields: "Range: bytes=1000-1999")
        #expect(answer.status == 206)
        #expect(answer.value("Content-Range") == fault.value(for: 1000..<2000, complete: 300_000))
    }

    @Test func `if-range-blind answers 200 to ETags alone`() async throws {
        let blind = try await withOrigin(OriginScript(body, always: .ifRangeBlind)) { origin in
            let etag = OriginResource.etag(of: body)
            return [
                try await RawClient.get(origin.port, "/", "Range: bytes=1-2", "If-Range: \(etag)").status,
                try await RawClient.get(origin.port, "/", "Range: bytes=1-2").status,
            ]
        }
        #expect(blind == [200, 206])
    }

    @Test func `hold can have a name for each connection`() async throws {
        try await withOrigin(OriginScript(body, always: .holdEach("middle", at: .body(1000)))) { origin in
            async let first = RawClient.get(origin.port)
            await origin.waitForHold("middle 1")
            async let second = RawClient.get(origin.port)
            await origin.waitForHold("middle 2")
            origin.release("middle 2")
            let secondBody = try await second.body
            #expect(secondBody == body.bytes)
            #expect(origin.facts.held == ["middle 1"])
            origin.release("middle 1")
            let firstBody = try await first.body
            #expect(firstBody == body.bytes)
        }
    }

    @Test func `hold stops at an exact place until it is released`() async throws {
        try await withOrigin(OriginScript(body, always: .hold("middle", at: .body(123_456)))) { origin in
            async let answer = RawClient.get(origin.port)
            await origin.waitForHold("middle")
            #expect(origin.bytesSent == 123_456)
            #expect(origin.facts.activeResponses == 1)
            origin.release("middle")
            let received = try await answer
            #expect(received.body == body.bytes)
        }
    }

    @Test func `stall keeps the connection open and silent`() async throws {
        try await withOrigin(OriginScript(body, always: .stall(after: 10))) { origin in
            let answer = try await RawClient.get(origin.port) { $0.body.count >= 10 }
            #expect(answer.body == body.bytes(in: 0..<10))
            await origin.waitForNoConnections()
        }
    }

    @Test func `drip and throttle send everything in pieces`() async throws {
        let small = SeededBody(seed: 1, size: 50)
        for mode in [OriginMode.drip(bytes: 7, every: .milliseconds(1)), .throttle(bytesPerSecond: 1000)] {
            let answer = try await withOrigin(OriginScript(small, always: mode)) { try await RawClient.get($0.port) }
            #expect(answer.body == small.bytes)
        }
    }

    @Test func `redirect chains lead to the file`() async throws {
        try await withOrigin(OriginScript(body, rules: .redirects(hops: 2))) { origin async throws in
            #expect(try await RawClient.get(origin.port, "/hop/2").value("Location") == "/hop/1")
            #expect(try await RawClient.get(origin.port, "/hop/1").value("Location") == "/file.bin")
            #expect(try await RawClient.get(origin.port).status == 200)
        }
    }

    @Test func `signed targets expire`() async throws {
        let script = OriginScript(
            body, .on(.path("/file.bin"), .signedRedirect), .on(.path("/signed/*"), .expiring(uses: 1)))
        try await withOrigin(script) { origin async throws in
            #expect(try await RawClient.get(origin.port).value("Location") == "/signed/1")
            #expect(try await RawClient.get(origin.port, "/signed/1").status == 200)
            #expect(try await RawClient.get(origin.port, "/signed/1").status == 403)
            #expect(try await RawClient.get(origin.port).value("Location") == "/signed/2")
            #expect(try await RawClient.get(origin.port, "/signed/2", "Authorization: Basic eA==").status == 400)
        }
    }

    @Test func `basic asks for credentials until they are right`() async throws {
        try await withOrigin(OriginScript(body, always: .basic(user: "me", password: "pw"))) { origin in
            let refused = try await RawClient.get(origin.port)
            #expect(refused.status == 401)
            #expect(refused.value("WWW-Authenticate")?.hasPrefix("Basic ") == true)
            #expect(try await RawClient.get(origin.port, "/", "Authorization: Basic bWU6cHc=").status == 200)
        }
    }

    @Test func `nodes can alternate between their versions`() async throws {
        let other = SeededBody(seed: 10, size: 1000)
        try await withOrigin(OriginScript(body, .on(.turn(1, of: 2), .version(other)))) { origin in
            for expected in [body, other, body, other] {
                let answer = try await RawClient.get(origin.port)
                #expect(answer.body == expected.bytes)
                #expect(answer.value("ETag") == OriginResource.etag(of: expected))
            }
        }
    }

    @Test func `unasked bytes follow a whole answer`() async throws {
        let answer = try await answer(.unasked)
        #expect(answer.text.hasSuffix("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked"))
    }

    @Test func `heads can be too much`() async throws {
        #expect(try await answer(.headFlood(.bigField(bytes: 1 << 20))).head.utf8.count > 1 << 20)
        #expect(try await answer(.headFlood(.manyFields(10_000))).head.contains("X-Flood-9999: f"))
        try await withOrigin(OriginScript(body, always: .headFlood(.endless))) { origin in
            let endless = try await RawClient.get(origin.port) { $0.bytes.count > 1 << 20 }
            #expect(!endless.text.contains("\r\n\r\n"))
            await origin.waitForNoConnections()
        }
    }
}
