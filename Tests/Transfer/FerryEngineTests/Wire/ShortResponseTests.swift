import FerryCore
import FerryRules
import FerryTesting
import Testing

@testable import FerryEngine

/// Requests whose responses are expected to be short.
@Suite(.timeLimit(.minutes(2))) struct `Requests for short responses` {
    private static let body = SeededBody(seed: 901, size: 9001)

    private struct End: Equatable {
        var errors: [ErrorCode]
        var success: Outcome.Success?
        var digest: String?
        var names: [String]
        var notes: [String]
        var etag: String?
        var finalURL: String?
        var redirects: Int
    }

    private static let modes: [OriginMode] = [
        .empty, .etag(nil), .lastModified(nil), .contentType("text/html"), .noRanges, .acceptRangesNone,
        .status(404, body: "gone"), .status(500), .status(503, retryAfter: "1"), .status(401), .status(204),
        .status(206),
        .status(304), .status(200, body: "short"), .redirect(to: "/other.bin"), .redirect(to: nil),
        .field("X-A", "ü"), .field("Connection", "close"), .disposition("attachment; filename=\"other.bin\""),
        .digest(.repr, .right), .digest(.repr, .wrong), .digest(.content, .right), .digest(.content, .wrong),
        .gzipAnyway(), .headFlood(.bigField(bytes: 20_000)), .chunked, .untilClose, .lengthTooLong(by: 10),
        .lengthTooShort(by: 10), .twoLengths, .lengthAndChunked, .cut(after: 100), .reset(after: 100),
        .closeBeforeHead, .resetBeforeHead, .unasked, .drip(bytes: 1000, every: .milliseconds(1)),
        .version(SeededBody(seed: 902, size: 200_000)), .raw(Array("HTTP/1.1 200 OK\n\nhello".utf8)),
        .raw(Array("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".utf8)),
    ]

    @Test(arguments: modes.indices, [false, true])
    func `end as all others do`(index: Int, isOnlyFirst: Bool) async throws {
        let mode = Self.modes[index]
        var ends: [End] = []
        for isShort in [false, true] {
            let rule: OriginRule = isOnlyFirst ? .on(.requestNumbers(1..<3), mode) : .always(mode)
            try await withEngine(OriginScript(Self.body, rule)) { harness, origin in
                let request = harness.request(origin.url())
                let history = await harness.transfer(request, tries: 3) {
                    if isShort { EngineHarness.expectShort(&$0) }
                }
                let facts = history.facts
                let names = harness.contents.filter { $0 != EngineHarness.partialName }
                var success = history.success
                success?.path = ""
                ends.append(
                    End(
                        errors: isOnlyFirst ? [] : history.errors.map(\.code), success: success,
                        digest: try names.first.map { try sha256(harness.path($0)) }, names: names,
                        notes: isOnlyFirst ? [] : facts.notes, etag: facts.identity?.etag,
                        finalURL: facts.finalURL.map { String($0.split(separator: "/").last ?? "") },
                        redirects: facts.redirects.count))
            }
        }
        #expect(ends[0] == ends[1], "\(mode)")
    }

    @Test func `are sent once, on one kept connection`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            for name in ["a", "b", "c"] {
                let request = harness.request(origin.url()) { $0.file.name = name }
                let history = await harness.transfer(request, adjust: EngineHarness.expectShort)
                #expect(history.success?.size == Self.body.size)
                let digest = try sha256(harness.path(name))
                #expect(digest == Self.body.sha256Hex)
            }
            #expect(origin.requests.count == 3 && origin.facts.connections == 1)
        }
    }

    @Test func `are left to the general run if they limit the time for connecting`() async throws {
        try await withEngine(OriginScript(Self.body)) { harness, origin in
            for (name, limit) in [("a", nil), ("b", 5), ("c", nil)] as [(String, Double?)] {
                let request = harness.request(origin.url()) {
                    ($0.file.name, $0.timing.connectTimeout) = (name, limit)
                }
                let history = await harness.transfer(request, adjust: EngineHarness.expectShort)
                #expect(history.success?.size == Self.body.size)
            }
            #expect(origin.requests.map(\.connection) == [1, 2, 1])
        }
    }

    @Test func `have the fields of all others, in their order`() async throws {
        var heads: [[Substring]] = []
        for isShort in [false, true] {
            try await withEngine(OriginScript(Self.body)) { harness, origin in
                let request = harness.request(origin.url("/a%20b?c=d%20e#f")) {
                    $0.headers = [HeaderField(name: "X-Own", value: "ü 1")]
                }
                _ = await harness.transfer(request) { if isShort { EngineHarness.expectShort(&$0) } }
                let asked = try #require(origin.requests.first)
                let lines = String(decoding: asked.headBytes, as: UTF8.self).split(separator: "\r\n")
                heads.append(lines.filter { !$0.hasPrefix("Host: 127.0.0.1:") })
            }
        }
        #expect(heads[0] == heads[1])
    }

    @Test(arguments: [OriginMode.status(404, body: "no"), .redirect(to: "/other.bin")])
    func `are not repeated for short errors and redirects`(mode: OriginMode) async throws {
        try await withEngine(OriginScript(Self.body, .on(.request(1), mode))) { harness, origin in
            _ = await harness.transfer(
                harness.request(origin.url()), tries: 1, adjust: EngineHarness.expectShort)
            if case .status = mode { #expect(origin.requests.count == 1) } else { #expect(origin.requests.count == 2) }
        }
    }

    @Test func `stop at once, and leave nothing`() async throws {
        try await withEngine(OriginScript(Self.body, .always(.hold("body", at: .body(100))))) { harness, origin in
            var job = harness.job(harness.request(origin.url()))
            EngineHarness.expectShort(&job)
            let run = harness.makeAttempt(job)
            async let report = run.run()
            await origin.wait { $0.held.contains("body") }
            await run.stop()
            let result = await report.result
            if case .stopped = result {} else { Issue.record("It has not stopped: \(result)") }
            #expect(harness.contents.isEmpty)
            origin.release("body")
        }
    }

    @Test(arguments: [nil, ServiceError(.deadlineExceeded, "Late.")])
    func `end with the error for which they are stopped`(error: ServiceError?) async throws {
        try await withEngine(OriginScript(Self.body, .always(.hold("body", at: .body(100))))) { harness, origin in
            var job = harness.job(harness.request(origin.url()))
            EngineHarness.expectShort(&job)
            let run = harness.makeAttempt(job)
            #expect(run is ShortAttempt)
            async let report = run.run()
            await origin.wait { $0.held.contains("body") }
            await run.stop(with: error)
            switch await report.result {
            case .stopped: #expect(error == nil)
            case .failed(let found, _): #expect(found == error)
            case .succeeded, .challenged: Issue.record("It has not stopped.")
            }
            origin.release("body")
        }
    }

    @Test(arguments: [false, true])
    func `verify digests that are given while they wait`(isRight: Bool) async throws {
        try await withEngine(OriginScript(Self.body, .always(.hold("head", at: .head)))) { harness, origin in
            var job = harness.job(harness.request(origin.url()))
            EngineHarness.expectShort(&job)
            let run = harness.makeAttempt(job)
            async let report = run.run()
            await origin.wait { $0.held.contains("head") }
            var changed = job.request
            let body = isRight ? Self.body : SeededBody(seed: 903, size: 9001)
            changed.response.checksums = [body.checksum(.sha256)]
            await run.follow(changed)
            origin.release("head")
            switch await report.result {
            case .succeeded(let success): #expect(isRight && success.verified == changed.response.checksums)
            case .failed(let error, _): #expect(!isRight && error.code == .digestMismatch)
            case .stopped, .challenged: Issue.record("It has not ended by itself.")
            }
            #expect(origin.requests.count == 1 && harness.contents == (isRight ? ["file.bin"] : []))
        }
    }

    @Test func `time out like all others`() async throws {
        try await withEngine(OriginScript(Self.body, .always(.hold("head", at: .head)))) { harness, origin in
            let request = harness.request(origin.url()) { $0.timing.idleTimeout = 0.2 }
            let history = await harness.transfer(request, tries: 1, adjust: EngineHarness.expectShort)
            #expect(history.codes == [.timedOut])
            origin.release("head")
        }
    }
}
