import FerryCore
import FerryRules
import FerryTesting
import Testing

@testable import FerryEngine

/// Kept connections that the server closes as the next request arrives.
@Suite(.timeLimit(.minutes(1))) struct `Kept connections that are gone` {
    private let body = SeededBody(seed: 511, size: (8 << 20) + 9)

    /// Runs `body` with an engine that keeps three connections, numbered from 1, then sets a script.
    ///
    /// - Parameter isForLoads: Whether only loads may use them, instead of only transfers.
    private func withKept(
        then script: OriginScript, isForLoads: Bool = false,
        _ check: (EngineHarness, ScriptedOrigin) async throws -> Void
    ) async throws {
        let small = SeededBody(seed: 512, size: 1000)
        try await withEngine(OriginScript(small, always: .holdEach("go", at: .head))) { harness, origin in
            let engine = harness.engine
            let place = await engine.places.place(of: harness.request(origin.url()))
            var key = ConnectionKey()
            key.loop = isForLoads ? engine.takeLoop() : engine.takeLoop(for: place)
            let url = try HTTPURL(parsing: origin.url())
            let fields = [
                HeaderField(name: "Host", value: url.hostField),
                HeaderField(name: "Accept-Encoding", value: "identity"),
            ]
            let asked = ExchangeRequest(url: url, fields: fields, key: key, timeouts: Timeouts())
            let exchanges = [try engine.open(asked), try engine.open(asked), try engine.open(asked)]
            await origin.wait { $0.held.count == 3 }
            for number in 1...3 { origin.release("go \(number)") }
            for exchange in exchanges {
                _ = try await exchange.head()
                await exchange.discard()
            }
            #expect(origin.facts.connections == 3)
            origin.script = script
            try await check(harness, origin)
        }
    }

    /// After the machine sleeps, all of them may be closed.
    @Test(arguments: [OriginMode.closeBeforeHead, .resetBeforeHead])
    func `T4 are no failure, however many there are`(mode: OriginMode) async throws {
        let script = OriginScript(body, .on(.connections(1...3), mode))
        try await withKept(then: script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.transport.connections = 1 })
            try harness.expectFile(history, body)
            #expect(history.reports.count == 1)
            let connections = origin.requests.dropFirst(3).map(\.connection)
            #expect(connections.count == 3 && connections.last == 4)
            #expect(Set(connections).count == 3)
        }
    }

    @Test func `T4 are no failure of a load`() async throws {
        let script = OriginScript(body, .on(.connections(1...3), .closeBeforeHead))
        try await withKept(then: script, isForLoads: true) { harness, origin in
            var request = LoadRequest(url: origin.url())
            request.decodes = false
            #expect(await Load(request, engine: harness.engine, advisor: nil).failure() == nil)
            #expect(origin.requests.last?.connection == 4)
        }
    }

    /// A closed connection for the first request says nothing about the next request's connection.
    @Test func `S10 are no refusal to a worker, also after the first request has met one`() async throws {
        let script = OriginScript(
            body, .on(.requestNumbers(1..<2), .closeBeforeHead), .on(.request(3), .closeBeforeHead),
            .on(.unranged, .hold("first", at: .body(100_000))))
        try await withKept(then: script) { harness, origin in
            let place = try HTTPURL(parsing: origin.url()).origin
            // The worker should send its request on a kept connection.
            harness.engine.budget.noteEarly(place, areUnused: true)
            let allowance = harness.engine.budget.allowance(place)
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 2 })
            await origin.waitForRequests(7)
            #expect(harness.engine.budget.allowance(place) == allowance)
            origin.release("first")
            let history = await transferred
            try harness.expectFile(history, body)
            #expect(history.reports.count == 1)
        }
    }
}
