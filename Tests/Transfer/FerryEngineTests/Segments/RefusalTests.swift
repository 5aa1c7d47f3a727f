import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Servers that take few connections` {
    private let body = SeededBody(seed: 421, size: (8 << 20) + 5)

    /// Ways in which a server refuses more than three connections.
    private static let refusals: [OriginMode] = [
        .limit(3, status: 403), .limit(3, status: 429), .limit(3, status: 503), .limitByReset(3),
    ]

    @Test(arguments: refusals)
    func `O34 S10 a server that refuses connections is asked with fewer, and nothing has failed`(
        refusal: OriginMode
    ) async throws {
        let script = OriginScript(body, always: refusal, .throttle(bytesPerSecond: 2 << 20))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.transport.connections = 8 })
            try harness.expectFile(history, body)
            #expect(history.codes == [])
            let answered = zip(origin.facts.requests, origin.facts.bytesSentByRequest).filter { $0.1 > 1000 }
            #expect(answered.count > 1, "no other connection was used")
            // Eight at the start. None is retried for minutes.
            #expect(origin.requests.count - answered.count < 8)
        }
    }

    /// A regression: while the first response of a signed URL continued, the URL's expiry was taken for a connection
    /// limit of the host.
    @Test func `O36 X11 a further worker goes back to the original URL where a signed one has expired`() async throws {
        let script = OriginScript(
            body, .on(.path("/file.bin"), .signedRedirect), .on(.path("/signed/*"), .expiring(uses: 1)),
            .on(.path("/signed/1"), .hold("first", at: .body(1 << 20))))
        try await withEngine(script) { harness, origin in
            async let transferred = harness.transfer(harness.request(origin.url()) { $0.transport.connections = 2 })
            await origin.wait { $0.requests.contains { $0.path == "/signed/2" } }
            origin.release("first")
            let history = await transferred
            try harness.expectFile(history, body)
            #expect(history.codes == [])
        }
    }

    @Test func `O34 S10 another transfer knows what its host refused`() async throws {
        let script = OriginScript(body, always: .limit(2, status: 503), .throttle(bytesPerSecond: 4 << 20))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.transport.connections = 8
                $0.file.onConflict = .unique
            }
            try harness.expectFile(await harness.transfer(request), body)
            await origin.waitForIdle()
            let before = origin.requests.count
            let history = await harness.transfer(request)
            #expect(history.codes == [])
            let statuses = origin.facts.bytesSentByRequest[before...]
            // A connection that was just closed may still count at the origin.
            #expect(statuses.count { $0 <= 1000 } <= 1, "connections were tried that are known to be refused")
        }
    }
}
