import FerryTesting
import Foundation
import Subprocess
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Origins over TLS` {
    /// Returns curl's exit status and the received body.
    private func curl(_ arguments: String...) async throws -> (status: TerminationStatus, body: [UInt8]) {
        let result = try await run(
            .name("curl"), arguments: Arguments(["-s", "--noproxy", "*"] + arguments), output: .bytes(limit: 1 << 24))
        return (result.terminationStatus, result.standardOutput)
    }

    @Test(
        arguments: [
            (.trusted, 0), (.selfSigned, 60), (.expired, 60), (.otherHost, 60), (.clientOnlyPurpose, 60),
            (.otherAddress, 60), (.oldProtocol, 35), (.handshakeCut, 35),
        ] as [(TLSFault, Int32)])
    func `curl accepts a trusted certificate alone`(fault: TLSFault, status: Int32) async throws {
        let script = OriginScript(SeededBody(seed: 3, size: 100_000))
        try await withOrigin(script, tls: fault) { origin in
            let answer = try await curl("--cacert", try #require(origin.caFile), "--tlsv1.2", origin.url())
            #expect(answer.status == .exited(status))
            #expect(answer.body == (status == 0 ? script.body.bytes : []))
        }
    }

    @Test(
        arguments: [(.tlsTruncate(after: 50_000), 50_000, true), (.untilClose, 100_000, false)]
            as [(OriginMode, Int64, Bool)])
    func `tls-truncate alone ends without close_notify`(mode: OriginMode, count: Int64, fails: Bool) async throws {
        let script = OriginScript(SeededBody(seed: 3, size: 100_000), always: mode)
        try await withOrigin(script, tls: .trusted) { origin in
            let answer = try await RawClient.get(origin.port, trusting: origin.caFile)
            #expect(answer.failed == fails)
            #expect(answer.body == script.body.bytes(in: 0..<count))
        }
    }

    @Test(.enabled(if: Nginx.isInstalled), arguments: Nginx.Listener.allCases)
    func `nginx serves a seeded file`(listener: Nginx.Listener) async throws {
        try await withNginx { nginx in
            let body = SeededBody(seed: 8, size: 1_500_000)
            try nginx.add(file: "a.bin", body: body)
            let answer = try await curl("--cacert", nginx.caFile, nginx.url("a.bin", over: listener))
            #expect(answer.body == body.bytes)
            let version = listener == .http2 ? "HTTP/2.0" : "HTTP/1.1"
            try await eventually("the request is logged") {
                nginx.accessLog().first?.hasPrefix("GET /a.bin \(version) 200 1500000") == true
            }
        }
    }
}
