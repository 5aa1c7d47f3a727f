import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Failing servers` {
    private let body = SeededBody(seed: 31, size: 300_000)

    @Test func `O7 three retries are four requests`() async throws {
        try await withEngine(OriginScript(body, always: .cut(after: 0))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.timing.retries = 3 })
            #expect(history.failure?.code == .connectionLost)
            #expect(origin.requests.count == 4)
            #expect(harness.contents == [EngineHarness.partialName])
        }
    }

    @Test func `O7 an attempt without a byte is no restart`() async throws {
        let script = OriginScript(body, .on(.requests(1...2), .cut(after: 0)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.facts.restarts == 0)
            #expect(history.facts.notes == [])
        }
    }

    @Test func `O9 a slow body continues`() async throws {
        let script = OriginScript(body, always: .drip(bytes: 30_000, every: .milliseconds(20)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `O9 a connection below the minimum speed is replaced`() async throws {
        let script = OriginScript(body, .on(.request(1), .throttle(bytesPerSecond: 20_000)))
        try await withEngine(script, configured: { $0.checkpointInterval = 0.05 }) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.timing.minSpeed = 10_000_000
                $0.timing.minSpeedTime = 0.1
            }
            let history = await harness.transfer(request)
            try harness.expectFile(history, body)
            #expect(history.codes == [.tooSlow])
            #expect(history.reports.first?.facts.ranges.isEmpty == false)
            #expect(origin.requests.last?.value("Range")?.hasPrefix("bytes=") == true)
        }
    }

    @Test(arguments: [.lateHead(after: .seconds(30)), .endlessInformational(every: .milliseconds(20))] as [OriginMode])
    func `O10 a head that does not come in time is asked for again`(mode: OriginMode) async throws {
        let timeouts = { (configuration: inout Engine.Configuration) in
            configuration.timeouts.connect = 0.3
            configuration.timeouts.head = 0.3
        }
        try await withEngine(OriginScript(body, .on(.request(1), mode)), configured: timeouts) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(Set(history.codes) == [.timedOut])
        }
    }

    @Test(
        arguments: [
            .twoLengths, .lengthAndChunked, .badChunkSize("-1"), .badChunkSize("1FFFFFFFFFFFFFFFF"),
            .badChunkSize(String(repeating: "9", count: 40)), .raw(Array("no HTTP at all\r\n\r\n".utf8)),
        ] as [OriginMode])
    func `O15 CVE_2017_13089 framing that cannot be trusted is given up after six requests`(
        mode: OriginMode
    ) async throws {
        try await withEngine(OriginScript(body, always: mode)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .badResponse, "\(history.errors)")
            #expect(origin.requests.count == 6)
            #expect(harness.contents.contains("file.bin") == false)
            #expect(history.facts.ranges.isEmpty)
        }
    }

    @Test func `O15 CVE_2017_13090 the largest chunk size of all wraps nowhere`() async throws {
        let script = OriginScript(body, .on(.request(1), .badChunkSize("FFFFFFFFFFFFFFFF")))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 520, 522, 524])
    func `O32 O33 a busy server is asked again`(status: Int) async throws {
        let script = OriginScript(body, .on(.requests(1...2), .status(status, retryAfter: "7", body: "busy")))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.serverBusy, .serverBusy])
            #expect(history.errors.allSatisfy { $0.details.httpStatus == status && $0.details.body == "busy" })
            guard case .failed(_, retryAfter: "7") = history.reports[0].result else {
                Issue.record("the report does not say what the server asked for")
                return
            }
        }
    }

    @Test(
        arguments: [
            (300, .redirectRefused), (304, .redirectRefused), (305, .redirectRefused), (400, .httpStatus),
            (401, .authRequired), (403, .httpStatus), (404, .notFound), (407, .proxyAuthRequired), (410, .notFound),
            (418, .httpStatus), (451, .httpStatus), (501, .httpStatus),
        ] as [(Int, ErrorCode)])
    func `O32 CVE_2016_7098 a refusal is final and leaves nothing`(status: Int, code: ErrorCode) async throws {
        let script = OriginScript(body, always: .status(status, body: String(repeating: "x", count: 10_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            let failure = try #require(history.failure)
            #expect(failure.code == code)
            #expect(failure.details.httpStatus == status)
            #expect((failure.details.body ?? "").utf8.count <= 4096)
            #expect(origin.requests.count == 1)
            #expect(harness.contents == [])
        }
    }

    @Test func `O32 a misdirected request is made once more on a fresh connection`() async throws {
        try await withEngine(OriginScript(body, always: .status(421))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .httpStatus)
            #expect(origin.requests.map(\.connection) == [1, 2])
        }
    }

    @Test(
        arguments: [(401, .urlExpired), (403, .urlExpired), (410, .urlExpired), (404, .notFound)] as [(Int, ErrorCode)])
    func `O32 a refusal costs no byte on disk`(status: Int, code: ErrorCode) async throws {
        let script = OriginScript(body, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...4), .status(status)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.connectionLost, code, code, code])
            #expect(origin.requests.last?.value("Range") == "bytes=150000-")
        }
    }

    @Test(arguments: [.closeBeforeHead, .resetBeforeHead] as [OriginMode])
    func `O33 a connection that ends before its answer is tried again`(mode: OriginMode) async throws {
        try await withEngine(OriginScript(body, .on(.requests(1...3), mode))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == Array(repeating: .connectionLost, count: 3))
        }
    }

    @Test func `O33 a refused connection is reported at once`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            await origin.refuseConnections()
            let refused = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(refused.codes == [.connectFailed])
            #expect(harness.contents == [])
            try await origin.acceptConnections()
            try harness.expectFile(await harness.transfer(harness.request(origin.url()), from: refused.facts), body)
        }
    }

    @Test(arguments: [.endless, .bigField(bytes: 1 << 20), .manyFields(10_000)] as [HeadFlood])
    func `O43 CVE_2023_38039 a head without measure is a bad response`(flood: HeadFlood) async throws {
        try await withEngine(OriginScript(body, always: .headFlood(flood))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.timing.retries = 0 })
            #expect(history.failure?.code == .badResponse, "\(history.errors)")
            #expect(harness.contents == [])
        }
    }

    @Test(arguments: [.closeBeforeHead, .resetBeforeHead] as [OriginMode])
    func `T4 a pooled connection that the server gave up is replaced without counting`(mode: OriginMode) async throws {
        let script = OriginScript(body, .on(.request(2), mode))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url("/a"))), body, name: "a")
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, among: ["a"])
            #expect(history.reports.count == 1)
            #expect(origin.requests.map(\.connection) == [1, 1, 2])
        }
    }

    @Test func `a stopped run keeps what it received`() async throws {
        let script = OriginScript(body, .on(.request(1), .hold("half", at: .body(150_000))))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url())
            let job = harness.job(request)
            let run = harness.makeRun(job)
            async let report = run.run()
            await origin.waitForHold("half")
            try await eventually("the bytes have arrived") { job.progress.received.load(ordering: .relaxed) == 150_000 }
            await run.stop()
            let stopped = await report
            guard case .stopped = stopped.result else {
                Issue.record("the run did not stop but \(stopped.result)")
                return
            }
            #expect(stopped.facts.ranges == ByteRangeSet(0..<150_000))
            #expect(harness.journal.facts == stopped.facts)
            try harness.expectFile(await harness.transfer(request, from: stopped.facts), body)
            #expect(origin.requests.last?.value("Range") == "bytes=150000-")
        }
    }
}
