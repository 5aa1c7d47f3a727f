import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Continuing` {
    private let body = SeededBody(seed: 21, size: 300_000)
    private let other = SeededBody(seed: 22, size: 300_000)
    private var etag: String { OriginResource.etag(of: body) }

    private func ranges(_ origin: ScriptedOrigin) -> [String?] { origin.requests.map { $0.value("Range") } }

    @Test(arguments: [1, 65_536, 150_000, 299_999] as [Int64])
    func `O5 a cut body is continued at the byte where it ended`(offset: Int64) async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .cut(after: offset)))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(ranges(origin) == [nil, "bytes=\(offset)-"])
            #expect(origin.requests.last?.value("If-Range") == etag)
            #expect(await origin.allBytesSent == body.size)
            #expect(history.codes == [.connectionLost])
        }
    }

    @Test func `O5 a reset body is continued`() async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .reset(after: 150_000)))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(origin.bytesSent <= body.size + 150_000)
        }
    }

    @Test func `O6 a transfer whose every connection is cut makes progress to its end`() async throws {
        let body = SeededBody(seed: 21, size: 1_100_000)
        try await withEngine(OriginScript(body, always: .cut(after: 102_400))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.timing.retries = 1 })
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 11)
            #expect(await origin.allBytesSent == body.size)
        }
    }

    @Test func `O8 a silent body is continued after the idle timeout`() async throws {
        let script = OriginScript(body, .on(.request(1), .stall(after: 100_000)))
        try await withEngine(script, configured: { $0.timeouts.idle = 0.3 }) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(history.codes == [.timedOut])
            #expect(ranges(origin) == [nil, "bytes=100000-"])
        }
    }

    @Test func `O16 a server without ranges sends all of it again`() async throws {
        let script = OriginScript(body, .always(.noRanges), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 2)
            #expect(history.facts.notes == [RestartReason.rangeIgnored.note])
        }
    }

    @Test func `O16 many bytes on disk are not given up before an unconditional range was asked`() async throws {
        let body = SeededBody(seed: 21, size: 3 << 20)
        let script = OriginScript(
            body, .always(.noRanges), .on(.request(1), .hold("end", at: .body(2 << 20)), .cut(after: 2 << 20)))
        try await withEngine(script) { harness, origin in
            async let history = harness.transfer(harness.request(origin.url()))
            try await eventually("the bytes are written") {
                harness.disk.events.contains {
                    if case .written(let range) = $0 { range.upperBound == 2 << 20 } else { false }
                }
            }
            origin.release("end")
            try harness.expectFile(await history, body)
            #expect(ranges(origin) == [nil, "bytes=2097152-", "bytes=2097152-"])
            #expect(origin.requests.map { $0.value("If-Range") } == [nil, OriginResource.etag(of: body), nil])
        }
    }

    @Test func `O17 a server that says it has no ranges sends all of it again`() async throws {
        let script = OriginScript(body, .always(.acceptRangesNone), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 2)
        }
    }

    @Test(
        arguments: [.rangeFromZero, .multipartRange]
            + ContentRangeFault.allCases.filter { $0 != .starComplete }.map(OriginMode.contentRange))
    func `O18 O19 O20 of an unusable part nothing is stored, and the file comes from its beginning`(
        mode: OriginMode
    ) async throws {
        let script = OriginScript(body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, mode))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(ranges(origin) == [nil, "bytes=150000-", "bytes=150000-", nil])
            #expect(origin.requests.last?.value("Cache-Control") == "no-cache")
            #expect(Set(origin.requests.map(\.connection)).count >= 3)
            #expect(history.facts.rangesOff)
        }
    }

    @Test func `O21 a part that does not say the complete length is accepted`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, .contentRange(.starComplete)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `O22 bytes that a shorter part left out are requested again`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, .rangeSubset(50_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(ranges(origin) == [nil, "bytes=150000-", "bytes=200000-", "bytes=250000-"])
            #expect(history.reports.count == 2)
        }
    }

    @Test func `O22 bytes of a longer part beyond the requested end are dropped`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 100_000)), .on(.ranged, .rangeExcess(40_000)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url())
            var facts = await harness.transfer(request, tries: 1).facts
            // The end of the file is already there, as several connections would leave it.
            try harness.write(body.bytes(in: 200_000..<300_000), at: 200_000)
            facts.ranges.insert(200_000..<300_000)
            // The attempt with these connections did not finish.
            facts.stamp = nil
            let report = await harness.makeRun(harness.job(request, facts: facts)).run()
            try harness.expectFile(History(reports: [report], end: end(of: report)), body)
            #expect(ranges(origin) == [nil, "bytes=100000-199999"])
        }
    }

    @Test func `O23 another complete length is another version`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, .completeLength(400_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(ranges(origin) == [nil, "bytes=150000-", nil])
            #expect(history.facts.notes.contains(RestartReason.lengthChanged.note))
        }
    }

    @Test(arguments: [300_000, 120_000, 500_000] as [Int64])
    func `O24 of a file that changes only the new version arrives`(size: Int64) async throws {
        let new = SeededBody(seed: 23, size: size)
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...), .version(new)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), new)
            #expect(origin.requests.count == 2)
        }
    }

    @Test(arguments: ["W/\"v1\"", "\"\"", "v1"])
    func `O26 a tag that is no strong validator is never sent in If-Range`(tag: String) async throws {
        let script = OriginScript(body, .always(.etag(tag)), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(ranges(origin) == [nil, nil])
            #expect(origin.requests.allSatisfy { $0.value("If-Range") == nil })
        }
    }

    @Test func `O27 a date that is older than its response guards a range`() async throws {
        let script = OriginScript(body, .always(.etag(nil)), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(ranges(origin) == [nil, "bytes=150000-"])
            #expect(origin.requests.last?.value("If-Range") == "Mon, 01 Jan 2024 00:00:00 GMT")
        }
    }

    @Test func `O27 a date as young as its response guards nothing`() async throws {
        let script = OriginScript(body, .always(.dateOnly(age: 0)), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(ranges(origin) == [nil, nil])
        }
    }

    @Test func `O28 a tag that is new with each answer ends in resource_changed`() async throws {
        let script = OriginScript(body, always: .etagPerRequest, .cut(after: 100_000))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .resourceChanged)
            #expect(origin.requests.count == 7)
            #expect(harness.contents.contains("file.bin") == false)
        }
    }

    @Test func `O28 with an expected digest such a file is continued`() async throws {
        let script = OriginScript(body, always: .etagPerRequest, .cut(after: 100_000))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url()) { $0.response.checksums = [body.checksum(.sha256)] })
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(.sha256)])
        }
    }

    @Test func `O29 of two nodes with two versions one whole file arrives`() async throws {
        let script = OriginScript(
            body, .on(.turn(1, of: 2), .version(other)), .on(.requests(1...3), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            let success = try #require(await harness.transfer(harness.request(origin.url())).success)
            #expect([body.sha256Hex, other.sha256Hex].contains(try sha256(success.path)))
        }
    }

    @Test func `O30 a server that is blind to If-Range costs two requests at most`() async throws {
        let body = SeededBody(seed: 21, size: 3 << 20)
        let script = OriginScript(
            body, .always(.ifRangeBlind), .on(.request(1), .hold("end", at: .body(2 << 20)), .cut(after: 2 << 20)))
        try await withEngine(script) { harness, origin in
            async let tries = harness.transfer(harness.request(origin.url()))
            try await eventually("the bytes are written") {
                harness.disk.events.contains {
                    if case .written(let range) = $0 { range.upperBound == 2 << 20 } else { false }
                }
            }
            origin.release("end")
            let history = await tries
            try harness.expectFile(history, body)
            #expect(ranges(origin) == [nil, "bytes=2097152-", "bytes=2097152-"])
            #expect(origin.requests.map { $0.value("If-Range") != nil } == [false, true, false])
            #expect(history.facts.restarts == 0)
        }
    }

    @Test func `O31 a 416 at the end of a file of unknown length completes it`() async throws {
        let script = OriginScript(body, .on(.request(1), .chunkCut(after: 300_000)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(ranges(origin) == [nil, "bytes=300000-"])
            #expect(origin.bytesSent < body.size + 100)
        }
    }

    @Test(arguments: [(.complete, 4), (.other, 3), (.bare, 3)] as [(UnsatisfiableFault, Int)])
    func `O31 any other 416 restarts`(fault: UnsatisfiableFault, requests: Int) async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.ranged, .unsatisfiable(fault)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == requests)
            #expect(ranges(origin).last == .some(nil))
        }
    }

    @Test(arguments: Portal.allCases)
    func `O40 a portal costs no byte on disk`(portal: Portal) async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...3), .portal(portal)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(ranges(origin).last == "bytes=150000-")
            #expect(history.codes.allSatisfy { [.connectionLost, .resourceChanged, .offline].contains($0) })
        }
    }

    @Test func `R10 a restart is recorded before the partial file is truncated`() async throws {
        let script = OriginScript(
            body, .on(.request(1), .cut(after: 150_000)), .on(.requests(2...), .version(other)))
        try await withEngine(script) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), other)
            let truncated = try #require(harness.disk.events.firstIndex(of: .truncated(0)))
            let restart = harness.journal.commits.last { $0.diskEvents <= truncated }
            #expect(restart?.facts.ranges.isEmpty == true)
            #expect(restart?.facts.identity == nil)
            #expect(restart?.facts.needsTruncation == true)
        }
    }

    private func end(of report: RunReport) -> History.End {
        switch report.result {
        case .succeeded(let success): .succeeded(success)
        case .stopped: .stopped
        case .failed(let error, _): .unfinished(error)
        case .challenged(let challenge): .unfinished(challenge.error)
        }
    }
}
