import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Limits of connections` {
    private let body = SeededBody(seed: 451, size: (6 << 20) + 3)
    private var script: OriginScript { OriginScript(body, always: .throttle(bytesPerSecond: 1 << 20)) }

    @Test func `L4 a number that the user gave goes over the limit of the host`() async throws {
        try await withEngine(script) { harness, origin in
            harness.engine.budget.setLimits(perHost: 2, total: 128)
            let request = harness.request(origin.url()) { $0.transport.connections = 6 }
            try harness.expectFile(await harness.transfer(request), body)
            #expect(origin.facts.mostActiveResponses > 4)
        }
    }

    @Test func `L4 connections that Ferry chose stay within the limit of the host`() async throws {
        try await withEngine(script) { harness, origin in
            harness.engine.budget.setLimits(perHost: 2, total: 128)
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            // The origin may not have noticed yet that a connection was closed.
            #expect([2, 3, 4].contains(origin.facts.mostActiveResponses))
        }
    }

    @Test func `L4 no number goes over the limit of all`() async throws {
        try await withEngine(script) { harness, origin in
            harness.engine.budget.setLimits(perHost: 8, total: 3)
            let request = harness.request(origin.url()) { $0.transport.connections = 8 }
            try harness.expectFile(await harness.transfer(request), body)
            #expect((3...6).contains(origin.facts.mostActiveResponses))
        }
    }

    @Test func `L1 connections are added and removed while a transfer runs, and the others continue`() async throws {
        try await withEngine(OriginScript(body, always: .holdEach("go", at: .body(65_536)))) { harness, origin in
            var request = harness.request(origin.url()) { $0.transport.connections = 2 }
            let run = harness.makeRun(harness.job(request))
            async let report = run.run()
            await origin.wait { $0.held.count == 2 }
            request.transport.connections = 5
            await run.follow(request)
            await origin.wait { $0.held.count == 5 }
            #expect(origin.facts.connections == 5)
            request.transport.connections = 2
            await run.follow(request)
            await origin.wait { $0.openConnections == 2 }
            // The newest connections were closed, and no request was repeated.
            #expect(origin.facts.connections == 5 && origin.requests.count == 5)
            for number in 1...20 { origin.release("go \(number)") }
            guard case .succeeded(let success) = await report.result else {
                Issue.record("the transfer failed")
                return
            }
            let digest = try sha256(success.path)
            #expect(digest == body.sha256Hex)
            #expect(harness.writtenBytes == body.size, "bytes were written twice")
        }
    }

    @Test func `L4 extra connections go when there may be fewer`() async throws {
        try await withEngine(script) { harness, origin in
            harness.engine.budget.setLimits(perHost: 8, total: 4)
            let request = harness.request(origin.url()) { $0.transport.connections = 4 }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.activeResponses == 4 }
            harness.engine.budget.setLimits(perHost: 8, total: 2)
            await origin.wait { $0.activeResponses <= 2 }
            try harness.expectFile(await transferred, body)
        }
    }
}
