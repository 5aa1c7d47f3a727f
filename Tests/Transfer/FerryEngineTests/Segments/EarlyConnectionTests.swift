import FerryCore
import FerryRules
import FerryTesting
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Connections that wait for their request` {
    private let body = SeededBody(seed: 461, size: (8 << 20) + 9)

    /// The first request is held before its response, and each response is held after its first bytes.
    private var script: OriginScript {
        OriginScript(
            body, .on(.request(1), .hold("head", at: .head)), .on(.always, .holdEach("go", at: .body(65_536))))
    }

    @Test(arguments: [nil, .trusted] as [TLSFault?])
    func `S3 are those that parts are asked for on, once the first answer is there`(tls: TLSFault?) async throws {
        try await withEngine(script, tls: tls) { harness, origin in
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 4 })
            await origin.wait { $0.openConnections == 4 && $0.requests.count == 1 }
            origin.release("head")
            await origin.wait { $0.held.count == 4 }
            #expect(origin.facts.connections == 4)
            let requests = origin.requests
            #expect(Set(requests.map(\.connection)).count == 4)
            let parts = requests.dropFirst().compactMap { AskedPart($0) }
            #expect(parts.count == 3 && parts.allSatisfy { $0.validator == OriginResource.etag(of: body) })
            for number in 1...4 { origin.release("go \(number)") }
            try harness.expectFile(await transferred, body)
            #expect(harness.writtenBytes == body.size, "bytes were written twice")
        }
    }

    @Test func `L4 are no more than there may be`() async throws {
        try await withEngine(script) { harness, origin in
            harness.engine.budget.setLimits(perHost: 8, total: 3)
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 6 })
            await origin.wait { $0.openConnections == 3 }
            origin.release("head")
            await origin.wait { $0.held.count == 3 }
            #expect(origin.facts.connections == 3)
            for number in 1...9 { origin.release("go \(number)") }
            try harness.expectFile(await transferred, body)
        }
    }

    @Test func `L4 give way to what others need`() async throws {
        try await withEngine(script) { harness, origin in
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 4 })
            await origin.wait { $0.openConnections == 4 }
            harness.engine.budget.setLimits(perHost: 8, total: 2)
            await origin.wait { $0.openConnections == 2 }
            harness.engine.budget.setLimits(perHost: 8, total: 128)
            origin.release("head")
            for number in 1...9 { origin.release("go \(number)") }
            try harness.expectFile(await transferred, body)
        }
    }

    @Test func `S10 that the server has closed meanwhile cost nothing but themselves`() async throws {
        try await withEngine(script) { harness, origin in
            let run = harness.makeRun(harness.job(harness.request(origin.url()) { $0.transport.connections = 4 }))
            async let report = run.run()
            // A connection counts as idle until its request has arrived.
            await origin.wait { $0.openConnections == 4 && $0.requests.count == 1 }
            origin.closeIdleConnections()
            await origin.wait { $0.openConnections == 1 }
            // A connection that closes after its request may be a refusal. These are known to be closed before it.
            try await eventually("closed connections") { await run.early.waiting.allSatisfy(\.isOver) }
            origin.release("head")
            // All four workers run, on other connections.
            await origin.wait { $0.held.count == 4 }
            for number in 1...9 { origin.release("go \(number)") }
            guard case .succeeded(let success) = await report.result else {
                Issue.record("the attempt failed")
                return
            }
            #expect(success.size == body.size && success.path == harness.path("file.bin"))
            #expect(try FileDigest.sha256(success.path) == body.sha256Hex)
        }
    }

    @Test func `are closed where the file is not shared, and not opened for the next from there`() async throws {
        let small = SeededBody(seed: 462, size: 70_000)
        let script = OriginScript(small, .on(.request(1), .hold("head", at: .head)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.transport.connections = 4
                $0.file.onConflict = .unique
            }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.openConnections == 4 }
            origin.release("head")
            try harness.expectFile(await transferred, small)
            await origin.wait { $0.openConnections <= 1 }
            let before = origin.facts.connections
            #expect(await harness.transfer(request).codes == [])
            #expect(origin.facts.connections <= before + 1)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `are closed when the transfer is stopped`() async throws {
        try await withEngine(script) { harness, origin in
            let run = harness.makeRun(harness.job(harness.request(origin.url()) { $0.transport.connections = 4 }))
            async let report = run.run()
            await origin.wait { $0.openConnections == 4 }
            await run.stop()
            guard case .stopped = await report.result else {
                Issue.record("the run was not stopped")
                return
            }
            await origin.waitForNoConnections()
            #expect(origin.requests.count == 1)
        }
    }

    /// A connection may be opened on an event loop while its transfer ends.
    @Test func `are closed, and count no more, where the transfer has ended meanwhile`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let run = harness.makeRun(harness.job(harness.request(origin.url())))
            let url = try HTTPURL(parsing: origin.url())
            let early = await run.early
            early.shut()
            early.open(1, to: url, ConnectionKey(), wanted: 4)
            #expect(early.count == 0)
            harness.engine.budget.setLimits(perHost: 1, total: 1)
            #expect(harness.engine.budget.claim(url.origin, wanted: nil))
            await origin.waitForNoConnections()
        }
    }

    @Test func `are none where the server cannot be reached`() async throws {
        try await withEngine(script) { harness, origin in
            await origin.refuseConnections()
            let history = await harness.transfer(
                harness.request(origin.url()) { $0.transport.connections = 4 }, tries: 1)
            #expect(history.codes == [.connectFailed])
            #expect(origin.facts.connections == 0)
        }
    }
}
