import FerryCore
import FerryEngine
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct Proxies {
    private let body = SeededBody(seed: 11, size: 300_000)

    /// Runs a transfer with the proxy's variables in its request.
    private func withProxy(
        _ answer: ConnectProxy.Answer = .tunnel, tls: TLSFault? = nil, noProxy: String? = nil,
        _ check: (EngineHarness, ScriptedOrigin, ConnectProxy, History) async throws -> Void
    ) async throws {
        try await withEngine(OriginScript(body), tls: tls) { harness, origin in
            let proxy = try await ConnectProxy.start(answer)
            var environment = ["all_proxy": "http://me:secret@127.0.0.1:\(proxy.port)"]
            environment["no_proxy"] = noProxy
            let history = await harness.transfer(
                harness.request(origin.url()) {
                    $0.retries = 0
                    $0.proxyEnvironment = environment
                    $0.headers = [HeaderField(name: "Authorization", value: "Bearer token")]
                })
            try await check(harness, origin, proxy, history)
            await proxy.shutdown()
        }
    }

    @Test(arguments: [nil, TLSFault.trusted] as [TLSFault?])
    func `Q12 CVE_2015_3153 every origin is reached by CONNECT, and each side gets its own credentials`(
        tls: TLSFault?
    ) async throws {
        try await withProxy(tls: tls) { harness, origin, proxy, history in
            try harness.expectFile(history, body)
            let head = try #require(proxy.heads.first)
            #expect(head.hasPrefix("CONNECT "))
            #expect(head.lowercased().contains("proxy-authorization: basic "))
            #expect(!head.contains("Bearer"))
            let request = try #require(origin.requests.first)
            #expect(request.value("Authorization") == "Bearer token")
            #expect(request.value("Proxy-Authorization") == nil)
        }
    }

    @Test(arguments: [(407, ErrorCode.proxyAuthRequired), (403, .proxyFailed), (502, .proxyFailed)])
    func `Q12 a proxy that refuses is told from an origin that does`(status: Int, code: ErrorCode) async throws {
        try await withProxy(.refuse(status)) { harness, origin, _, history in
            #expect(history.failure?.code == code)
            #expect(origin.requests.isEmpty)
            #expect(harness.contents == [])
        }
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "*", "other.example,127.0.0.1"])
    func `Q11 no_proxy names who is asked directly`(noProxy: String) async throws {
        try await withProxy(noProxy: noProxy) { harness, _, proxy, history in
            try harness.expectFile(history, body)
            #expect(proxy.heads.isEmpty)
        }
    }
}
