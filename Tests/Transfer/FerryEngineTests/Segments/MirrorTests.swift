import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Mirrors` {
    private static let body = SeededBody(seed: 431, size: (8 << 20) + 9)
    private static let other = SeededBody(seed: 432, size: (8 << 20) + 9)
    private var body: SeededBody { Self.body }

    /// Runs a transfer from an origin with one mirror. The origin's first response is held until both have requests.
    private func withMirror(
        _ script: OriginScript, mirror mirrorScript: OriginScript, connections: Int = 4, digest: Bool = false,
        waits: Bool = true,
        _ check: (EngineHarness, History, _ origin: ScriptedOrigin, _ mirror: ScriptedOrigin) async throws -> Void
    ) async throws {
        var script = script
        if waits { script.rules.insert(.on(.unranged, .hold("first", at: .body(100_000))), at: 0) }
        try await withOrigin(mirrorScript) { mirror in
            try await withEngine(script) { harness, origin in
                let request = harness.request(origin.url()) {
                    $0.mirrors = [mirror.url("/elsewhere/file.bin")]
                    $0.transport.connections = connections
                    if digest { $0.response.checksums = [body.checksum(.sha256)] }
                    $0.headers = [HeaderField(name: "X-Token", value: "secret")]
                }
                let credentials = Credentials(user: "ann", password: "p")
                async let transferred = harness.transfer(request, credentials: credentials)
                if waits { await mirror.waitForRequests(1) }
                origin.release("first")
                try await check(harness, transferred, origin, mirror)
            }
            for request in mirror.requests {
                #expect(request.value("X-Token") == nil && request.value("Authorization") == nil)
            }
        }
    }

    /// The first server's Retry-After must outlast the failure of the mirror after it.
    @Test func `of two URLs that fail, the time that was asked for stays with its failure`() async throws {
        try await withOrigin(OriginScript(body, always: .status(404))) { mirror in
            try await withEngine(OriginScript(body, always: .status(503, retryAfter: "77"))) { harness, origin in
                let request = harness.request(origin.url()) { $0.mirrors = [mirror.url()] }
                let report = await harness.makeRun(harness.job(request)).run()
                guard case .failed(let error, let retryAfter) = report.result else {
                    Issue.record("the run ended with \(report.result)")
                    return
                }
                #expect(error.code == .serverBusy && retryAfter == "77")
                #expect(report.refusedBy?.port == origin.port)
            }
        }
    }

    private func isNamed(_ mirror: ScriptedOrigin, in history: History) -> Bool {
        history.facts.notes.contains { $0.contains("127.0.0.1:\(mirror.port)") }
    }

    @Test(arguments: [true, false])
    func `S11 mirrors of the same file are used side by side`(digest: Bool) async throws {
        try await withMirror(OriginScript(body), mirror: OriginScript(body), digest: digest) {
            harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(await mirror.allBytesSent > 0)
            #expect(!isNamed(mirror, in: history))
        }
    }

    @Test func `S11 mirrors with other ETags are used side by side under a digest`() async throws {
        let mirrored = OriginScript(body, always: .etag("\"mirror\""))
        try await withMirror(OriginScript(body), mirror: mirrored, digest: true) { harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(await mirror.allBytesSent > 0)
        }
    }

    @Test func `S11 bytes of a mirror with another ETag are not joined without a digest`() async throws {
        let mirrored = OriginScript(Self.other)
        try await withMirror(OriginScript(body), mirror: mirrored) { harness, history, origin, mirror in
            try harness.expectFile(history, body)
        }
    }

    @Test(arguments: [true, false])
    func `S11 a mirror of another length is dropped and named`(digest: Bool) async throws {
        let mirrored = OriginScript(SeededBody(seed: 431, size: 7 << 20))
        try await withMirror(OriginScript(body), mirror: mirrored, digest: digest) { harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(isNamed(mirror, in: history))
            #expect(mirror.requests.count == 1)
        }
    }

    @Test func `S11 a mirror of other bytes is dropped and named, and the file is whole`() async throws {
        let mirrored = OriginScript(body, always: .silentVersion(Self.other))
        try await withMirror(OriginScript(body), mirror: mirrored, digest: true) { harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(isNamed(mirror, in: history))
        }
    }

    @Test(arguments: [.status(404), .status(503), .closeBeforeHead, .noRanges, .portal(.page)] as [OriginMode])
    func `S12 a mirror that fails costs nothing`(mode: OriginMode) async throws {
        try await withMirror(OriginScript(body), mirror: OriginScript(body, always: mode)) {
            harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(history.codes == [])
        }
    }

    @Test(
        arguments: [.status(404), .status(410), .status(403), .status(500), .closeBeforeHead] as [OriginMode], [1, 4])
    func `S11 a mirror takes over when the first URL fails`(mode: OriginMode, connections: Int) async throws {
        try await withMirror(
            OriginScript(body, always: mode), mirror: OriginScript(body), connections: connections, waits: false
        ) { harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(await mirror.allBytesSent >= body.size)
        }
    }

    @Test(arguments: [1, 4])
    func `S11 a mirror continues where the first URL broke off`(connections: Int) async throws {
        let script = OriginScript(body, .on(.request(1), .cut(after: 3 << 20)), .on(.requests(2...), .status(404)))
        try await withMirror(script, mirror: OriginScript(body), connections: connections, waits: false) {
            harness, history, origin, mirror in
            try harness.expectFile(history, body)
            #expect(mirror.requests.allSatisfy { AskedPart($0) != nil }, "bytes on disk were given up")
        }
    }
}
