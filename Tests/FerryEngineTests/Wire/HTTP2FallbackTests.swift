// Ferry: FerryEngineTests
// Servers that offer HTTP/2 and cannot answer over it.

import FerryCore
import FerryEngine
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `HTTP2 that fails` {
    private func withServer(
        _ fault: FailingHTTP2Server.Fault, _ body: (EngineHarness, FailingHTTP2Server) async throws -> Void
    ) async throws {
        let server = try await FailingHTTP2Server.start(fault)
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        do {
            try await withEngine(configured: { $0.trust = trust }) { harness in try await body(harness, server) }
            await server.shutdown()
        } catch {
            await server.shutdown()
            throw error
        }
    }

    @Test(arguments: FailingHTTP2Server.Fault.allCases)
    func `falls back to HTTP1, at once and for the next transfer too`(fault: FailingHTTP2Server.Fault) async throws {
        try await withServer(fault) { harness, server in
            for number in 1...2 {
                let history = await harness.transfer(harness.request(server.url("/\(number).txt")), tries: 1) {
                    $0.offersHTTP2 = true
                }
                #expect(history.success != nil, "\(history.errors)")
                #expect(harness.text("\(number).txt") == FailingHTTP2Server.text)
            }
            #expect(server.requests2 == 1)
            #expect(server.requests1 == ["GET /1.txt HTTP/1.1", "GET /2.txt HTTP/1.1"])
        }
    }

    /// The client builds the path of HTTP/2 itself, from an URL that has none there.
    @Test func `is not tried for a target that the client cannot read`() async throws {
        try await withServer(.streamRefused) { harness, server in
            let history = await harness.transfer(harness.request(server.url("/%D6%D0")) { $0.name = "a" }, tries: 1) {
                $0.offersHTTP2 = true
            }
            #expect(history.success != nil, "\(history.errors)")
            #expect(server.requests2 == 0)
            #expect(server.requests1 == ["GET /%D6%D0 HTTP/1.1"])
        }
    }
}
