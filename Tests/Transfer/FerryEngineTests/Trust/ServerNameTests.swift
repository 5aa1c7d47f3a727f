import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `The names in a certificate` {
    private let body = SeededBody(seed: 64, size: (1 << 20) + 3)

    /// Resolves `origin.test` to the origin.
    private func findingOrigin(_ configuration: inout Engine.Configuration) {
        configuration.lookup = NameLookup { $0 == "origin.test" ? .success(["127.0.0.1"]) : NameLookup.system.find($0) }
    }

    /// The certificate is for 127.0.0.1, to which the name resolves. It must not be valid for every name with that
    /// address.
    @Test(arguments: [1, 4])
    func `an address is no name, for no connection of a transfer`(connections: Int) async throws {
        try await withEngine(OriginScript(body), tls: .trusted, configured: findingOrigin) { harness, origin in
            let request = harness.request(origin.url(host: "origin.test")) { $0.transport.connections = connections }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            #expect(
                history.failure?.message.contains("it names localhost, example.org, 127.0.0.1") == true,
                "\(history.errors)")
            #expect(history.reports.count == 1 && origin.requests.isEmpty)
            // The same address, by a name and by an address in the certificate.
            for host in ["localhost", "127.0.0.1"] {
                let file = harness.request(origin.url(host: host)) { $0.file.onConflict = .replace }
                try harness.expectFile(await harness.transfer(file), body)
            }
        }
    }

    @Test func `a name in the subject alone is no name`() async throws {
        try await withEngine(OriginScript(body), tls: .noNames) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            #expect(history.failure?.message == "The certificate of localhost names no host.")
            #expect(origin.requests.isEmpty)
        }
    }

    /// A proxy's address is not the origin's address.
    @Test(
        arguments: [
            (.trusted, "127.0.0.2", false), (.otherAddress, "127.0.0.2", true), (.otherAddress, "127.0.0.1", false),
            (.trusted, "localhost", true), (.trusted, "origin.test", false), (.otherHost, "other.example", true),
        ] as [(TLSFault, String, Bool)])
    func `behind a proxy the origin's name counts, not where the proxy is`(
        fault: TLSFault, host: String, isAccepted: Bool
    ) async throws {
        try await withEngine(OriginScript(body), tls: fault) { harness, origin in
            let proxy = try await ScriptedProxy.start(.divert(origin.port))
            let request = harness.request(origin.url(host: host)) {
                $0.transport.proxyEnvironment = ["all_proxy": "http://127.0.0.1:\(proxy.port)"]
            }
            let history = await harness.transfer(request)
            if isAccepted {
                try harness.expectFile(history, body)
            } else {
                #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
                #expect(origin.requests.isEmpty)
            }
            #expect(proxy.heads.first?.hasPrefix("CONNECT \(host):\(origin.port) ") == true)
            await proxy.shutdown()
        }
    }

    @Test func `nothing is asked over HTTP2 either, nor over HTTP1 in its place`() async throws {
        let server = try await FailingHTTP2Server.start(.streamRefused)
        let configured = { (configuration: inout Engine.Configuration) in
            findingOrigin(&configuration)
            configuration.trust = TrustRoots(environment: ["SSL_CERT_FILE": server.caFile])
        }
        try await withEngine(configured: configured) { harness in
            let request = harness.request(server.url("/1.txt", host: "origin.test"))
            let history = await harness.transfer(request) { $0.offersHTTP2 = true }
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            #expect(history.reports.count == 1)
            #expect(server.requests2 == 0 && server.requests1.isEmpty)
        }
        await server.shutdown()
    }

    /// In TLS a name has no trailing dot, and some servers reject one. `Host` has the name as in the URL.
    @Test(arguments: [true, false])
    func `a host with a full stop at its end is asked under its own name`(offersHTTP2: Bool) async throws {
        let lookup = NameLookup { _ in .success(["127.0.0.1"]) }
        try await withEngine(
            OriginScript(body), tls: .strictName, configured: { $0.lookup = lookup }
        ) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url(host: "localhost.")), tries: 1) {
                $0.offersHTTP2 = offersHTTP2
            }
            try harness.expectFile(history, body)
            #expect(origin.requests.first?.value("Host") == "localhost.:\(origin.port)")
        }
    }

    @Test func `an advisor is asked about another name as about any other fault`() async throws {
        try await withLoads(OriginScript(), tls: .otherAddress) { harness async throws in
            let advisor = TestAdvisor()
            let error = await harness.load(advisor: advisor).failure()
            #expect(error?.code == .tlsCertificate)
            #expect(error?.message == "The certificate of localhost is for another host: it names 127.0.0.2.")
            #expect(advisor.trusts.first?.fault == error)
            #expect(harness.origin.requests.isEmpty)
        }
    }
}
