import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Results of a client's transfers` {
    private let body = SeededBody(seed: 91, size: 300_000)

    @Test(arguments: [400, 401, 403, 404, 407, 410, 416, 429, 500, 503, 511])
    func `14 an error status is the result`(status: Int) async throws {
        try await withClient(OriginScript(body, always: .status(status, body: "sorry"))) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url("/a?b=c")))
            #expect(history.success?.size == 5, "\(history.errors)")
            #expect(harness.text("file.bin") == "sorry")
            #expect(history.facts.response?.status == status)
            #expect(history.facts.response?.url == origin.url("/a?b=c"))
            #expect(history.reports.count == 1)
        }
    }

    @Test func `14 statuses of the client's own rule are tried again`() async throws {
        let script = OriginScript(body, rules: [.on(.requestNumbers(1..<3), .status(503, body: "busy"))])
        try await withClient(script) { harness, origin in
            let request = harness.task(origin.url()) { $0.timing.retryRule = RetryRule(statusCodes: [503]) }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.codes == [.serverBusy, .serverBusy])
        }
    }

    @Test func `16 a short body is a lost connection with its bytes kept`() async throws {
        try await withClient(OriginScript(body, always: .cut(after: 200_000))) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url()) { $0.timing.retries = 0 })
            #expect(history.failure?.code == .connectionLost)
            #expect(history.facts.ranges.byteCount > 0)
        }
    }

    @Test func `18 a range of the caller's is sent unchanged and its rest is asked for`() async throws {
        let script = OriginScript(body, rules: [.on(.requestNumbers(1..<2), .cut(after: 60_000))])
        try await withClient(script) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.headers = [HeaderField(name: "Range", value: "bytes=100000-")]
            }
            let history = await harness.transfer(request)
            #expect(history.success?.size == 200_000)
            #expect(harness.fileBytes == Array(body.bytes[100_000...]))
            #expect(origin.requests.first?.value("Range") == "bytes=100000-")
            #expect(origin.requests.last?.value("If-Range") != nil)
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: [false, true])
    func `18 an Accept-Encoding of the caller's is sent each time, and an answer without a coding is continued`(
        isCoded: Bool
    ) async throws {
        let cut = OriginRule.on(.requestNumbers(1..<3), .cut(after: 60_000))
        let script = OriginScript(body, rules: isCoded ? [.always(.gzipAnyway()), cut] : [cut])
        try await withClient(script) { harness, origin in
            let codings = "br;q=1.0, gzip;q=0.9"
            let request = harness.task(origin.url()) {
                $0.headers = [HeaderField(name: "Accept-Encoding", value: codings)]
            }
            let history = await harness.transfer(request)
            #expect(history.success != nil)
            #expect(origin.requests.allSatisfy { $0.value("Accept-Encoding") == codings })
            guard !isCoded else {
                #expect(origin.requests.allSatisfy { $0.value("Range") == nil })
                return
            }
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 3)
            #expect(history.facts.startedOver == nil)
            for later in origin.requests.dropFirst() {
                #expect(later.value("If-Range") == OriginResource.etag(of: body) && later.value("Range") != nil)
            }
        }
    }

    @Test func `18 an error in place of the caller's range is the result`() async throws {
        try await withClient(OriginScript(body, always: .status(404, body: "gone"))) { harness, origin in
            let request = harness.task(origin.url()) {
                $0.headers = [HeaderField(name: "Range", value: "bytes=100-199")]
            }
            #expect(await harness.transfer(request).success?.size == 4)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `17 one coding is taken off`() async throws {
        try await withClient(OriginScript(body, always: .gzipAnyway())) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url()) { $0.response.decode = true })
            try harness.expectFile(history, body)
            #expect(history.facts.rangesOff)
            #expect(history.facts.exchanges?.last?.decodedBodyBytes == body.size)
            #expect(origin.requests.first?.value("Accept-Encoding") == "identity")
        }
    }

    @Test func `17 an encoded body that breaks off begins again`() async throws {
        let script = OriginScript(
            body, rules: [.always(.gzipAnyway()), .on(.requestNumbers(1..<2), .cut(after: 100_000))])
        try await withClient(script) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url()) { $0.response.decode = true })
            try harness.expectFile(history, body)
            #expect(origin.requests.allSatisfy { $0.value("Range") == nil })
            #expect(history.facts.startedOver == 1)
        }
    }

    @Test func `17 codings that nobody knows are stored as they came`() async throws {
        try await withClient(OriginScript(body, always: .field("Content-Encoding", "br"))) { harness, origin in
            try harness.expectFile(
                await harness.transfer(harness.task(origin.url()) { $0.response.decode = true }), body)
        }
    }

    @Test func `21 silence ends with timed_out`() async throws {
        try await withClient(OriginScript(body, always: .stall(after: 100_000))) { harness, origin in
            let history = await harness.transfer(
                harness.task(origin.url()) {
                    $0.timing.idleTimeout = 0.3
                    $0.timing.retries = 0
                })
            #expect(history.failure?.code == .timedOut)
            #expect(history.facts.ranges.byteCount == 100_000)
        }
    }

    @Test func `29 every request has its metrics`() async throws {
        try await withClient(OriginScript(body, rules: .redirects(hops: 1))) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url("/hop/1")))
            try harness.expectFile(history, body)
            let exchanges = try #require(history.facts.exchanges)
            #expect(exchanges.map(\.response?.status) == [302, 200])
            #expect(exchanges.map(\.url) == [origin.url("/hop/1"), origin.url("/file.bin")])
            #expect(exchanges.last?.responseBodyBytes == body.size)
            #expect(exchanges.allSatisfy { $0.responseEnd != nil && $0.requestStart != nil })
        }
    }

    @Test func `29 no metrics are kept where nobody asks for them`() async throws {
        try await withClient(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.facts.exchanges == nil)
            #expect(history.facts.response == nil)
        }
    }

    @Test(arguments: [.version(SeededBody(seed: 92, size: 300_000)), .unsatisfiable(.bare)] as [OriginMode])
    func `64 a file that no longer matches is restarted and counted`(mode: OriginMode) async throws {
        let other = SeededBody(seed: 92, size: 300_000)
        let second: OriginMode = if case .version = mode { mode } else { .version(other) }
        let script = OriginScript(
            body,
            rules: [
                .on(.requestNumbers(1..<2), .cut(after: 200_000)), .on(.requestNumbers(2..<100), second),
                .on(.both(.ranged, .requestNumbers(2..<3)), mode),
            ])
        try await withClient(script) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url()))
            try harness.expectFile(history, other)
            #expect(history.facts.startedOver == 1)
        }
    }

    @Test func `64 62 a weak tag is never sent in If-Range`() async throws {
        let script = OriginScript(
            body, rules: [.always(.etag("W/\"a\"")), .on(.requestNumbers(1..<2), .cut(after: 200_000))])
        try await withClient(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.task(origin.url())), body)
            #expect(origin.requests.allSatisfy { $0.value("If-Range") == nil && $0.value("Range") == nil })
        }
    }
}
