import Crypto
import FerryCore
import FerryRules
import FerryTesting
import Foundation
import Testing

@testable import FerryEngine

/// Many small files of one server at a time, over the connections that they share.
@Suite(.timeLimit(.minutes(1))) struct `Small files at a time` {
    @Test func `share one connection of HTTP2, beyond what it takes before its settings`() async throws {
        let server = try await FailingHTTP2Server.start(.heads(["200"]))
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        let count = 3 * ConnectionPool.placesBeforeSettings
        do {
            try await withEngine(configured: { $0.trust = trust }) { harness in
                let reports = await withTaskGroup(of: RunReport.self) { group in
                    for number in 1...count {
                        let record = TransferRecord(
                            id: TransferID(rawValue: UInt64(number)), createdAt: Date(),
                            request: harness.request(server.url("/\(number).txt")), credentials: nil)
                        var job = TransferJob(
                            record, gate: RateGate([], priority: .normal), progress: TransferProgress())
                        EngineHarness.expectShort(&job)
                        job.offersHTTP2 = true
                        let run = harness.makeAttempt(job)
                        group.addTask { await run.run() }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(
                    reports.allSatisfy { report in
                        if case .succeeded = report.result { true } else { false }
                    })
                for number in 1...count { #expect(harness.text("\(number).txt") == FailingHTTP2Server.text2) }
                #expect(server.requests2 == count && server.requests1.isEmpty)
                // While the first one is full, another may be opened.
                #expect(server.connections <= 3)
                #expect(reports.contains { $0.places ?? 0 > 1 })
            }
            await server.shutdown()
        } catch {
            await server.shutdown()
            throw error
        }
    }

    @Test func `Q12 come over HTTP2 through the tunnel of a proxy`() async throws {
        let server = try await FailingHTTP2Server.start(.heads(["200"]))
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        let proxy = try await ScriptedProxy.start()
        do {
            try await withEngine(configured: { $0.trust = trust }) { harness in
                for number in 1...2 {
                    let request = harness.request(server.url("/\(number).txt")) {
                        $0.transport.proxyEnvironment = ["https_proxy": "http://127.0.0.1:\(proxy.port)"]
                    }
                    let history = await harness.transfer(request, tries: 1) { $0.offersHTTP2 = true }
                    #expect(history.success != nil, "\(history.errors)")
                }
                #expect(server.requests2 == 2 && server.connections == 1 && proxy.heads.count == 1)
            }
        } catch {
            Issue.record(error)
        }
        await proxy.shutdown()
        await server.shutdown()
    }

    private static let trailers = DigestField.allCases.flatMap { field in [(field, true), (field, false)] }

    /// A regression: a file from memory was placed although a digest was not compared yet.
    @Test(arguments: trailers, [true, false])
    func `O41 I3 are compared with the digest in the trailers of HTTP2`(
        trailer: (field: DigestField, isRight: Bool), isShort: Bool
    ) async throws {
        let text = trailer.isRight ? FailingHTTP2Server.text2 : "another text"
        let digest = Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
        let server = try await FailingHTTP2Server.start(
            .trailer(name: trailer.field.rawValue.lowercased(), value: "sha-256=:\(digest):"))
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        do {
            try await withEngine(configured: { $0.trust = trust }) { harness in
                let history = await harness.transfer(harness.request(server.url("/a.txt")), tries: 1) {
                    if isShort { EngineHarness.expectShort(&$0) }
                    $0.offersHTTP2 = true
                }
                #expect(server.requests2 == 1)
                #expect((history.success != nil) == trailer.isRight, "\(history.errors)")
                #expect(harness.text("a.txt") == (trailer.isRight ? FailingHTTP2Server.text2 : nil))
            }
        } catch {
            Issue.record(error)
        }
        await server.shutdown()
    }

    /// A regression: each request and its response kept each other alive.
    @Test func `leave nothing in memory`() async throws {
        try await withEngine(OriginScript(SeededBody(seed: 21, size: 5000))) { harness, origin in
            let url = try HTTPURL(parsing: origin.url())
            let fields = [
                HeaderField(name: "Host", value: url.hostField),
                HeaderField(name: "Accept-Encoding", value: "identity"),
            ]
            weak var left: ShortExchange?
            do {
                let exchange = ShortExchange()
                left = exchange
                let head = try RequestHead("GET", url, fields, proxy: nil)
                let request = PooledRequest(
                    .known(head), to: url, method: "GET", on: ConnectionTarget(ConnectionKey(), for: url),
                    client: harness.engine.client, receiver: exchange, timeouts: Timeouts())
                guard case .response = await exchange.send(request) else { throw TestingError("no response") }
            }
            try await eventually("the exchange is gone") { left == nil }
        }
    }
}
