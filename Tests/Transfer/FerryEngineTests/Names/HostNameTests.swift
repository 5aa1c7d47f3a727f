import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Names of hosts` {
    private let body = SeededBody(seed: 5, size: 1_000)

    /// Runs `body` with an engine that resolves names from a table.
    private func withNames(
        _ findings: [String: NameCache.Finding], tls: TLSFault? = nil, timeouts: Timeouts = Timeouts(),
        _ check: (EngineHarness, ScriptedOrigin, ScriptedNames) async throws -> Void
    ) async throws {
        let names = ScriptedNames(findings)
        defer { names.release() }
        try await withEngine(
            OriginScript(body), tls: tls,
            configured: { configuration in
                configuration.lookup = names.lookup
                configuration.timeouts = timeouts
            }
        ) { harness, origin in try await check(harness, origin, names) }
    }

    /// Returns a run of a transfer with its own id, so that several can run at a time.
    private func run(_ number: Int, _ url: String, in harness: EngineHarness) -> TransferRun {
        let request = harness.request(url) { $0.file.name = "file \(number)" }
        let record = TransferRecord(
            id: TransferID(rawValue: UInt64(number)), createdAt: Date(), request: request, credentials: nil)
        return harness.makeRun(
            TransferJob(record, gate: RateGate([], priority: .normal), progress: TransferProgress()))
    }

    /// Sixty-four dead names must not occupy every lookup thread while the resolver is silent. A healthy name would be
    /// resolved last.
    @Test func `a file arrives from a healthy host while 64 names hang, and their runs stop at once`() async throws {
        try await withNames(["healthy.test": .success(["127.0.0.1"])]) { harness, origin, names in
            let runs = (1...64).map { run($0, "http://dead\($0).test:\(origin.port)/x", in: harness) }
            await withTaskGroup(of: RunReport.self) { group in
                for run in runs { group.addTask { await run.run() } }
                do {
                    try await eventually("all names are looked up") { names.lookups.count == 64 }
                    let history = await harness.transfer(
                        harness.request(origin.url("/file.bin", host: "healthy.test")))
                    try harness.expectFile(history, body)
                } catch {
                    Issue.record(error)
                }
                for run in runs { await run.stop() }
                for await report in group {
                    guard case .stopped = report.result else {
                        Issue.record("\(report.result)")
                        continue
                    }
                }
            }
            #expect(origin.requests.map { $0.value("Host") } == ["healthy.test:\(origin.port)"])
        }
    }

    @Test func `a name is looked up once for several transfers, and not again for the next`() async throws {
        try await withNames(["healthy.test": .success(["127.0.0.1"])]) { harness, origin, names in
            let runs = (1...8).map { run($0, origin.url("/\($0)", host: "healthy.test"), in: harness) }
            await withTaskGroup(of: Void.self) { group in
                for run in runs { group.addTask { _ = await run.run() } }
            }
            _ = await run(9, origin.url("/9", host: "healthy.test"), in: harness).run()
            #expect(origin.requests.count == 9)
            #expect(names.lookups == ["healthy.test"])
        }
    }

    @Test(arguments: [
        (NameCache.Failure.notFound, ErrorCode.hostNotFound), (.noAnswer, .dnsFailed),
    ])
    func `a name that does not exist is distinguished from a silent resolver`(
        _ failure: NameCache.Failure, _ code: ErrorCode
    ) async throws {
        try await withNames(["dead.test": .failure(failure)]) { harness, origin, names in
            let history = await harness.transfer(
                harness.request("http://dead.test:\(origin.port)/x") { $0.timing.retries = 0 }, tries: 1)
            #expect(history.errors.map(\.code) == [code])
            #expect(names.lookups == ["dead.test"])
        }
    }

    @Test func `a lookup that hangs fails the attempt at its timeout`() async throws {
        var timeouts = Timeouts()
        timeouts.connect = 0.01
        try await withNames([:], timeouts: timeouts) { harness, origin, _ in
            let history = await harness.transfer(harness.request("http://dead.test:\(origin.port)/x"), tries: 1)
            #expect(history.errors.map(\.code) == [.dnsFailed])
        }
    }

    /// The engine's own timeout is longer than the test's.
    @Test func `T8 a request says how long its connections may take`() async throws {
        var timeouts = Timeouts()
        timeouts.connect = 3600
        try await withNames(["silent.test": .success(["127.0.0.2"])], timeouts: timeouts) { harness, origin, _ in
            let silent = try SilentAddress("127.0.0.2", port: origin.port)
            let request = harness.request(origin.url(host: "silent.test")) { $0.timing.connectTimeout = 0.05 }
            let history = await harness.transfer(request, tries: 1)
            #expect(history.errors.map(\.code) == [.timedOut])
            silent.close()
        }
    }

    @Test func `an address that refuses gives way to the next one of its host`() async throws {
        let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.1"]
        try await withNames(["many.test": .success(addresses)]) { harness, origin, _ in
            let history = await harness.transfer(harness.request(origin.url(host: "many.test")), tries: 1)
            try harness.expectFile(history, body)
        }
    }

    @Test func `an address that does not answer gives way to one that does`() async throws {
        try await withNames(["many.test": .success(["127.0.0.2", "127.0.0.1"])]) { harness, origin, _ in
            let silent = try SilentAddress("127.0.0.2", port: origin.port)
            let history = await harness.transfer(harness.request(origin.url(host: "many.test")), tries: 1)
            try harness.expectFile(history, body)
            silent.close()
        }
    }

    @Test func `a host none of whose addresses can be reached has refused`() async throws {
        try await withNames(["many.test": .success(["127.0.0.2", "127.0.0.3"])]) { harness, origin, _ in
            let history = await harness.transfer(harness.request(origin.url(host: "many.test")), tries: 1)
            #expect(history.errors.map(\.code) == [.connectFailed])
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [("other.example", true), ("localhost", false)])
    func `a certificate is checked against the name, not against its address`(
        _ host: String, isTrusted: Bool
    ) async throws {
        let findings: [String: NameCache.Finding] = [host: .success(["127.0.0.1"])]
        // Its certificate is for other.example alone.
        try await withNames(findings, tls: .otherHost) { harness, origin, _ in
            let history = await harness.transfer(harness.request(origin.url(host: host)), tries: 1)
            #expect((history.success != nil) == isTrusted)
            #expect(isTrusted || history.errors.map(\.code) == [.tlsCertificate])
        }
    }

    @Test func `behind a proxy the proxy's name alone is looked up`() async throws {
        try await withNames(["proxy.test": .success(["127.0.0.1"])]) { harness, _, names in
            let proxy = try await ScriptedProxy.start(.refuse(502))
            let history = await harness.transfer(
                harness.request("https://origin.test/x") {
                    $0.transport.proxyEnvironment = ["all_proxy": "http://proxy.test:\(proxy.port)"]
                }, tries: 1)
            #expect(history.errors.map(\.code) == [.proxyFailed])
            #expect(proxy.heads.first?.hasPrefix("CONNECT origin.test:443 ") == true)
            #expect(names.lookups == ["proxy.test"])
            await proxy.shutdown()
        }
    }

    @Test func `the system's resolver distinguishes a known name from one that cannot exist`() {
        #expect((try? NameLookup.system.find("localhost").get())?.isEmpty == false)
        #expect(NameLookup.system.find("192.0.2.7") == .success(["192.0.2.7"]))
        #expect(NameLookup.system.find("a..b") == .failure(.notFound))
    }
}
