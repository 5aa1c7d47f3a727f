import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Streamed responses` {
    private let body = SeededBody(seed: 71, size: 3_000_000)

    @Test(arguments: [OriginMode.chunked, .untilClose, .contentType("text/plain")])
    func `16 a whole body arrives in whatever framing`(mode: OriginMode) async throws {
        try await withLoads(OriginScript(body, always: mode)) { harness async throws in
            let load = harness.load()
            #expect(try await load.head().status == 200)
            #expect(try await load.rest() == body.bytes)
            #expect(try await load.part() == nil)
        }
    }

    @Test(arguments: [
        OriginMode.cut(after: 100_000), .reset(after: 100_000), .lengthTooLong(by: 10),
    ])
    func `16 a body shorter than stated is a lost connection`(mode: OriginMode) async throws {
        try await withLoads(OriginScript(body, always: mode)) { harness async throws in
            #expect(await harness.load().failure()?.code == .connectionLost)
        }
    }

    @Test func `16 a chunked body without its end is a lost connection`() async throws {
        try await withLoads(OriginScript(body, always: .chunked, .chunkCut(after: 100_000))) { harness async throws in
            #expect(await harness.load().failure()?.code == .connectionLost)
        }
    }

    @Test(arguments: [nil, Double.infinity, .greatestFiniteMagnitude])
    func `21 a load may be without a timeout`(seconds: Double?) async throws {
        try await withLoads(OriginScript(body)) { harness async throws in
            let load = harness.load { $0.idleTimeout = seconds }
            #expect(try await load.head().status == 200)
            #expect(try await load.rest() == body.bytes)
        }
    }

    @Test func `14 an error status is a result`() async throws {
        try await withLoads(OriginScript(always: .status(503, body: "later"))) { harness async throws in
            let load = harness.load()
            #expect(try await load.head().status == 503)
            #expect(try await load.rest() == Array("later".utf8))
        }
    }

    @Test func `HEAD has no body whatever its length`() async throws {
        try await withLoads(OriginScript(body)) { harness async throws in
            let load = harness.load(method: "HEAD")
            #expect(try await load.head().contentLength == body.size)
            #expect(try await load.rest() == [])
            #expect(harness.origin.requests.map(\.method) == ["HEAD"])
        }
    }

    /// A second load of the same size that is read. It shows how far the unread one could have advanced.
    @Test func `32 a slow reader holds the sender back`() async throws {
        let large = SeededBody(seed: 72, size: 128 << 20)
        try await withLoads(OriginScript(large)) { harness async throws in
            let slow = harness.load("/slow")
            _ = try await slow.head()
            let first = try #require(try await slow.part())
            let quick = harness.load("/quick")
            _ = try await quick.head()
            var read: Int64 = 0
            while let part = try await quick.part() { read += Int64(part.count) }
            #expect(read == large.size)
            #expect(harness.origin.facts.bytesSentByRequest[0] < large.size / 2)
            var total = Int64(first.count)
            while let part = try await slow.part() { total += Int64(part.count) }
            #expect(total == large.size)
        }
    }

    @Test func `17 gzip is asked for and taken off`() async throws {
        try await withLoads(OriginScript(body, always: .gzipAnyway())) { harness async throws in
            let load = harness.load()
            _ = try await load.head()
            #expect(try await load.rest() == body.bytes)
            #expect(harness.origin.requests.first?.value("Accept-Encoding") == "gzip, deflate")
            let facts = try #require(load.exchanges.last)
            #expect(facts.decodedBodyBytes == body.size)
            #expect(facts.responseBodyBytes == Int64(StoredGzip.encode(body.bytes).count))
        }
    }

    @Test func `I8 a thousand codings are refused`() async throws {
        try await withLoads(OriginScript(always: .gzipAnyway(codings: 1000))) { harness async throws in
            #expect(await harness.load().failure()?.code == .badResponse)
        }
    }

    @Test func `17 without decoding the body comes as it was sent`() async throws {
        try await withLoads(OriginScript(body, always: .gzipAnyway())) { harness async throws in
            let load = harness.load { $0.decodes = false }
            _ = try await load.head()
            #expect(try await load.rest() == StoredGzip.encode(body.bytes))
            #expect(harness.origin.requests.first?.value("Accept-Encoding") == "identity")
        }
    }

    @Test func `21 a server that falls silent is a timeout`() async throws {
        try await withLoads(OriginScript(body, always: .stall(after: 1000))) { harness async throws in
            let load = harness.load { $0.idleTimeout = 1 }
            _ = try await load.head()
            #expect(try await load.part()?.isEmpty == false)
            #expect(await load.failureOfRest()?.code == .timedOut)
        }
    }

    @Test func `21 a server that never answers is a timeout`() async throws {
        try await withLoads(OriginScript(always: .hold("head", at: .head))) { harness async throws in
            #expect(await harness.load { $0.idleTimeout = 1 }.failure()?.code == .timedOut)
        }
    }

    @Test func `informational responses are reported`() async throws {
        let answer = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await withLoads(OriginScript(always: .raw(Array(answer.utf8)))) { harness async throws in
            let told = Mutex<[ResponseHead]>([])
            let load = harness.load()
            load.onInformational { head in told.withLock { $0.append(head) } }
            #expect(try await load.head().status == 200)
            #expect(try await load.rest() == Array("ok".utf8))
            #expect(told.withLock { $0.map(\.status) } == [103])
            #expect(told.withLock { $0.first?.value("Link") } == "</a>")
        }
    }

    @Test func `29 metrics tell connection, times and counts`() async throws {
        try await withLoads(OriginScript(body)) { harness async throws in
            for isSecond in [false, true] {
                let load = harness.load()
                _ = try await load.head()
                _ = try await load.rest()
                let facts = try #require(load.exchanges.first)
                #expect(load.exchanges.count == 1)
                #expect(facts.isReusedConnection == isSecond)
                #expect((facts.connectEnd == nil) == isSecond)
                #expect(facts.remotePort == harness.origin.port)
                #expect(facts.remoteAddress == "127.0.0.1")
                #expect(facts.localPort != nil)
                #expect(facts.networkProtocol == "http/1.1")
                #expect(facts.responseBodyBytes == body.size)
                #expect(facts.requestHeaderBytes == harness.origin.requests.last.map { Int64($0.headBytes.count) })
                #expect(facts.responseHeaderBytes > 0)
                #expect(facts.response?.status == 200)
                let times = [facts.fetchStart, facts.requestStart, facts.responseStart, facts.responseEnd]
                #expect(times.compactMap(\.self).count == 4)
                #expect(times.compactMap(\.self) == times.compactMap(\.self).sorted())
            }
        }
    }

    @Test func `23 cookies come from the advisor and go to it`() async throws {
        try await withLoads(OriginScript(always: .field("Set-Cookie", "a=1"))) { harness async throws in
            let advisor = TestAdvisor()
            #expect(await harness.load(advisor: advisor).failure() == nil)
            #expect(await harness.load(advisor: advisor).failure() == nil)
            let own = harness.load(advisor: advisor) { $0.fields = [HeaderField(name: "Cookie", value: "b=2")] }
            #expect(await own.failure() == nil)
            #expect(harness.origin.requests.map { $0.values("Cookie") } == [[], ["a=1"], ["b=2"]])
        }
    }
}

extension Load {
    func failureOfRest() async -> ServiceError? {
        do throws(ServiceError) {
            _ = try await rest()
            return nil
        } catch {
            return error
        }
    }
}
