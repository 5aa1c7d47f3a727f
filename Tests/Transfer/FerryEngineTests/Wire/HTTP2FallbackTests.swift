import FerryCore
import FerryRules
import FerryTesting
import Foundation
import NIOCore
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `HTTP2 that fails` {
    private func withServer(
        _ fault: FailingHTTP2Server.Fault, answersFirst: Bool = false,
        _ body: (EngineHarness, FailingHTTP2Server) async throws -> Void
    ) async throws {
        let server = try await FailingHTTP2Server.start(fault, answersFirst: answersFirst)
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        do {
            try await withEngine(configured: { $0.trust = trust }) { harness in try await body(harness, server) }
            await server.shutdown()
        } catch {
            await server.shutdown()
            throw error
        }
    }

    @Test(arguments: FailingHTTP2Server.Fault.ofHTTP2)
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

    /// A transfer has half of its body when another stream on its connection receives an unusable response.
    @Test(arguments: [FailingHTTP2Server.Fault.malformedHead, .streamRefused])
    func `of one stream leaves the other streams of its connection alone`(
        fault: FailingHTTP2Server.Fault
    ) async throws {
        try await withServer(fault, answersFirst: true) { harness, server in
            let record = TransferRecord(
                id: TransferID(rawValue: 7), createdAt: Date(), request: harness.request(server.url("/1.txt")),
                credentials: nil)
            var job = TransferJob(record, gate: RateGate([], priority: .normal), progress: TransferProgress())
            job.offersHTTP2 = true
            let run = harness.makeRun(job)
            async let report = run.run()
            try await eventually("the first request is half answered") { server.requests2 == 1 }
            let other = await harness.transfer(harness.request(server.url("/2.txt")), tries: 1) {
                $0.offersHTTP2 = true
            }
            #expect(other.success != nil, "\(other.errors)")
            #expect(harness.text("2.txt") == FailingHTTP2Server.text)
            let first = await report.result
            guard case .succeeded = first else {
                Issue.record("\(first)")
                return
            }
            #expect(harness.text("1.txt") == FailingHTTP2Server.text2)
            #expect(server.requests2 == 2 && server.requests1 == ["GET /2.txt HTTP/1.1"])
        }
    }

    /// A connection may be dead without a word: its requests must not be followed by others.
    @Test func `by silence takes no further request`() async throws {
        try await withServer(.silence) { harness, server in
            for number in 1...2 {
                let request = harness.request(server.url("/\(number).txt")) { $0.timing.idleTimeout = 0.2 }
                let history = await harness.transfer(request, tries: 1) { $0.offersHTTP2 = true }
                #expect(history.codes == [.timedOut])
                #expect(server.requests2 == number && server.connections == number)
            }
        }
    }

    /// A regression: the client kept the closed HTTP/2 connection. It trapped at its shutdown, or never ended.
    @Test func `resumes over HTTP1 with a server that no longer speaks HTTP2`() async throws {
        try await withServer(.goesBack) { harness, server in
            for number in 1...3 {
                let history = await harness.transfer(harness.request(server.url("/\(number).txt")), tries: 2) {
                    $0.offersHTTP2 = true
                }
                #expect(history.success != nil, "\(history.errors)")
                #expect(
                    harness.text("\(number).txt") == (number == 1 ? FailingHTTP2Server.text2 : FailingHTTP2Server.text))
            }
            #expect(server.requests2 == 1 && server.requests1.count == 2)
        }
    }
}

@Suite struct `Frames that are sent` {
    private func frame(_ type: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        [0, 0, UInt8(payload.count), type, 0, 0, 0, 0, 0] + payload
    }

    @Test func `a GOAWAY is found among others, and not in the payload of one`() {
        let goAway = frame(7, [0, 0, 0, 0, 0, 0, 0, 1])
        let rows: [(parts: [[UInt8]], hasGoAway: Bool)] = [
            ([goAway], true), ([frame(4), frame(8, [0, 0, 0, 1]), goAway], true), ([frame(4) + goAway], true),
            ([frame(3, [0, 0, 0, 1])], false), ([frame(0, goAway)], false), ([[]], false),
            ([[0, 0, 17, 0, 0, 0, 0, 0, 1], goAway], false), ([[0, 0, 17, 0, 0, 0, 0, 0, 1], goAway, goAway], true),
        ]
        for (parts, hasGoAway) in rows {
            var frames = SentFrames()
            let found = parts.map { frames.haveGoAway(in: .byteBuffer(ByteBuffer(bytes: $0))) }
            #expect(found.contains(true) == hasGoAway, "\(parts)")
        }
    }
}
