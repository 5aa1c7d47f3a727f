import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Several connections for one file` {
    private let body = SeededBody(seed: 411, size: (8 << 20) + 77)
    private static let firstBytes: Int64 = 65_536

    /// Each response is held after its first bytes.
    private var heldScript: OriginScript { OriginScript(body, always: .holdEach("go", at: .body(Self.firstBytes))) }

    @Test(arguments: [2, 4, 8])
    func `S3 S5 the asked number of connections begins at different places`(connections: Int) async throws {
        try await withEngine(heldScript) { harness, origin in
            async let transferred = harness.transfer(
                harness.request(origin.url()) { $0.transport.connections = connections })
            await origin.wait { $0.held.count == connections }
            let requests = origin.requests
            #expect(origin.facts.connections == connections)
            #expect(requests.first?.value("Range") == nil)
            let parts = requests.dropFirst().compactMap { AskedPart($0) }
            #expect(parts.count == connections - 1)
            #expect(parts.allSatisfy { $0.validator == OriginResource.etag(of: body) })
            let starts = [0] + parts.map(\.range.lowerBound).sorted()
            #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 >= 512 << 10 })
            #expect(starts.allSatisfy { $0.isMultiple(of: 64 << 10) })
            // The last part has an open end.
            #expect(parts.count { $0.range.upperBound >= body.size } == 1)
            for number in 1...connections { origin.release("go \(number)") }
            try harness.expectFile(await transferred, body)
            #expect(harness.writtenBytes == body.size, "bytes were written twice")
        }
    }

    @Test func `S2 a file that ends soon has one connection`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `S2 a small file has one connection, whatever was asked for`() async throws {
        let body = SeededBody(seed: 412, size: (2 << 20) - 1)
        try await withEngine(OriginScript(body, always: .throttle(bytesPerSecond: 4 << 20))) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 8 }
            try harness.expectFile(await harness.transfer(request), body)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `O45 S4 connections are added where each of them is slow`() async throws {
        try await withEngine(OriginScript(body, always: .throttle(bytesPerSecond: 1 << 20))) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.facts.mostActiveResponses > 2)
            #expect(origin.facts.mostActiveResponses <= 8)
        }
    }

    @Test func `O46 S5 a slow connection has little to do`() async throws {
        let script = OriginScript(
            body, .on(.connection(2), .throttle(bytesPerSecond: 100_000)),
            .on(.not(.connection(2)), .throttle(bytesPerSecond: 1 << 20)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 4 }
            try harness.expectFile(await harness.transfer(request), body)
            let slow = zip(origin.facts.requests, origin.facts.bytesSentByRequest).filter { $0.0.connection == 2 }
            #expect(slow.reduce(0) { $0 + $1.1 } < body.size / 8)
        }
    }

    @Test(arguments: [2, 8])
    func `S1 a stopped transfer requests the missing bytes only`(connections: Int) async throws {
        try await withEngine(heldScript) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = connections }
            let job = harness.job(request)
            let run = harness.makeRun(job)
            async let report = run.run()
            await origin.wait { $0.held.count == connections }
            let arrived = Int64(connections) * Self.firstBytes
            try await eventually("the bytes have arrived") {
                job.progress.received.load(ordering: .relaxed) == arrived
            }
            await run.stop()
            let facts = await report.facts
            #expect(facts.ranges.byteCount == arrived)
            #expect(facts.ranges.ranges.count == connections)
            #expect(harness.journal.facts == facts)

            let before = origin.requests.count
            origin.script = OriginScript(body)
            try harness.expectFile(await harness.transfer(request, from: facts), body)
            let parts = origin.requests[before...].map { AskedPart($0) }
            for part in parts {
                let start = try #require(part?.range.lowerBound)
                #expect(!facts.ranges.contains(start..<start + 1), "the byte \(start) was there")
            }
            #expect(harness.writtenBytes == body.size, "bytes were written twice")
        }
    }

    @Test func `S9 unusable parts of all attempts count together, and the second ends all extra requests`() async throws
    {
        let script = OriginScript(
            body, .on(.request(1), .hold("first", at: .body(Self.firstBytes))), .on(.request(2), .noRanges),
            .on(.request(3), .hold("extra", at: .head)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 2 }
            let job = harness.job(request)
            let run = harness.makeRun(job)
            async let report = run.run()
            // The third request shows that the second request's worker has left.
            await origin.wait { $0.held.count == 2 }
            try await eventually("the bytes have arrived") {
                job.progress.received.load(ordering: .relaxed) == Self.firstBytes
            }
            await run.stop()
            let facts = await report.facts
            #expect(facts.unusableParts == 1)
            #expect(harness.journal.facts.unusableParts == 1)

            let before = origin.requests.count
            origin.script = OriginScript(
                body, .on(.request(1), .hold("again", at: .body(Self.firstBytes)), .throttle(bytesPerSecond: 8 << 20)),
                .on(.requests(2...), .noRanges))
            async let transferred = harness.transfer(request, from: facts)
            await origin.wait { $0.requests.count == before + 2 }
            origin.release("again")
            let history = await transferred
            try harness.expectFile(history, body)
            #expect(history.reports.count == 1)
            // Workers are checked often, in a fraction of the time that the remaining file takes.
            #expect(origin.requests.count == before + 2, "a worker was tried after the second unusable answer")
        }
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func `I4 digests of a file that came in parts are those of its bytes`(algorithm: DigestAlgorithm) async throws {
        try await withEngine(heldScript) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.transport.connections = 4
                $0.response.checksums = [body.checksum(algorithm)]
            }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.held.count == 4 }
            // The end of the file arrives before the parts in front of it.
            for number in [4, 3, 2, 1] { origin.release("go \(number)") }
            let history = await transferred
            try harness.expectFile(history, body)
            #expect(history.success?.verified == [body.checksum(algorithm)])
        }
    }

    @Test func `I5 I6 a file in parts with another digest is fetched once more as one piece, and removed`() async throws
    {
        try await withEngine(heldScript) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.transport.connections = 4
                $0.response.checksums = [SeededBody(seed: 1, size: body.size).checksum(.sha256)]
            }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.held.count == 4 }
            for number in 1...5 { origin.release("go \(number)") }
            origin.script = OriginScript(body)
            let history = await transferred
            #expect(history.failure?.code == .digestMismatch)
            #expect(harness.contents == [])
            // Once at the beginning, and once more for the whole file. In between, the assignment of parts depends on
            // timing.
            #expect(origin.requests.count { $0.value("Range") == nil } == 2)
            #expect(origin.requests.last?.value("Range") == nil)
            #expect(origin.requests.last?.value("Cache-Control") == "no-cache")
        }
    }

    @Test func `L2 a rate limit is that of all connections together`() async throws {
        let rate: Int64 = 4 << 20
        try await withEngine(heldScript) { harness, origin in
            let limiter = RateLimiter(rate: rate)
            let begin = ContinuousClock.now
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 4 }) {
                $0.gate = RateGate([limiter], priority: .normal)
            }
            await origin.wait { $0.held.count == 4 }
            for number in 1...4 { origin.release("go \(number)") }
            try harness.expectFile(await transferred, body)
            // A bucket holds one second of bytes. A busy machine only takes longer.
            #expect(ContinuousClock.now - begin >= .seconds(Double(body.size) / Double(rate) - 1))
        }
    }
}
