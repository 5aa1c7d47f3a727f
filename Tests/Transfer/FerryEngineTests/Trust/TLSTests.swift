import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `TLS` {
    private let body = SeededBody(seed: 61, size: 300_000)

    @Test func `Q13 a certificate of a trusted authority is accepted`() async throws {
        try await withEngine(OriginScript(body), tls: .trusted) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test func `Q13 an authority that is not configured is not trusted`() async throws {
        let untrusting = { (configuration: inout Engine.Configuration) in
            configuration.trust = TrustRoots(environment: [:])
        }
        try await withEngine(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [TLSFault.selfSigned, .expired, .otherHost, .clientOnlyPurpose])
    func `O44 CVE_2020_13614 CVE_2026_8367 a wrong certificate is final and nothing is sent`(
        fault: TLSFault
    ) async throws {
        try await withEngine(OriginScript(body), tls: fault) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            #expect(history.reports.count == 1)
            #expect(origin.requests.isEmpty)
            #expect(harness.contents == [])
        }
    }

    @Test(
        arguments: [
            (.selfSigned, .selfSigned, "is self-signed"), (.expired, .expired, "expired on 20"),
            (.otherHost, .otherHost, "it names other.example"),
            (.clientOnlyPurpose, .wrongPurpose, "is not valid for servers"),
        ] as [(TLSFault, CertificateProblem, String)])
    func `the one thing that is wrong with a certificate is named`(
        fault: TLSFault, problem: CertificateProblem, words: String
    ) async throws {
        try await withEngine(OriginScript(body), tls: fault) { harness, origin in
            let error = try #require(await harness.transfer(harness.request(origin.url())).failure)
            #expect(error.message.hasPrefix("The certificate of localhost "))
            #expect(error.message.contains(words), "\(error.message)")
            #expect(error.details.certificate == problem)
        }
    }

    @Test func `an authority that is not trusted is named`() async throws {
        let other = try await TestCertificates.make()
        defer { other.remove() }
        let untrusting = { (configuration: inout Engine.Configuration) in
            configuration.trust = TrustRoots(environment: ["SSL_CERT_FILE": other.caFile])
        }
        try await withEngine(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let error = try #require(await harness.transfer(harness.request(origin.url())).failure)
            #expect(error.message.contains("was issued by “"), "\(error)")
            #expect(error.details.certificate == .unknownIssuer)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a server without TLS is distinguished from one whose TLS fails`() async throws {
        let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
        try await withRawServer(answering: answer, closes: true) { port in
            try await withEngine { harness in
                let url = "https://127.0.0.1:\(port)/file.bin"
                let history = await harness.transfer(harness.request(url), tries: 1)
                #expect(history.codes == [.tlsFailed])
                #expect(history.errors.first?.message == "127.0.0.1 does not speak TLS on this port.")
            }
        }
    }

    @Test func `O44 TLS of an old version is a failed handshake`() async throws {
        try await withEngine(OriginScript(body), tls: .oldProtocol) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .tlsFailed, "\(history.errors)")
            #expect(history.failure?.message.contains("no safe version of TLS") == true)
            #expect(history.failure?.message.contains("NIO") == false)
            #expect(history.reports.count == 6)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `O44 a handshake that is cut is tried again`() async throws {
        try await withEngine(OriginScript(body), tls: .handshakeCut) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), tries: 3)
            #expect(history.codes.count == 3)
            #expect(history.codes.allSatisfy { [.tlsFailed, .connectionLost].contains($0) }, "\(history.errors)")
        }
    }

    @Test(arguments: [TLSFault.selfSigned, .expired, .otherHost])
    func `Q13 insecure applies to one request`(fault: TLSFault) async throws {
        try await withEngine(OriginScript(body), tls: fault) { harness, origin in
            let careless = await harness.transfer(harness.request(origin.url()) { $0.tls.insecure = true })
            try harness.expectFile(careless, body)
            // The unverified transfer's connection is not shared.
            let careful = await harness.transfer(harness.request(origin.url("/other")))
            #expect(careful.failure?.code == .tlsCertificate)
        }
    }

    @Test(arguments: [TLSFault.otherHost, .selfSigned, .expired])
    func `A2 a request may leave the host's name out, and nothing else`(fault: TLSFault) async throws {
        try await withEngine(OriginScript(body), tls: fault) { harness, origin in
            let careless = await harness.transfer(harness.request(origin.url()) { $0.tls.skipsHostVerification = true })
            if fault == .otherHost {
                try harness.expectFile(careless, body)
            } else {
                #expect(careless.failure?.code == .tlsCertificate)
            }
            let careful = await harness.transfer(harness.request(origin.url("/other")))
            #expect(careful.failure?.code == .tlsCertificate)
        }
    }
}

@Suite(.timeLimit(.minutes(1)), .enabled(if: Nginx.isInstalled)) struct `Nginx as origin` {
    private let body = SeededBody(seed: 62, size: 3_000_000)

    @Test(arguments: Nginx.Listener.allCases)
    func `a file arrives over each protocol`(listener: Nginx.Listener) async throws {
        try await withNginx { nginx in
            try nginx.add(file: "a.bin", body: body)
            let trust = TrustRoots(environment: ["SSL_CERT_FILE": nginx.caFile])
            try await withEngine(configured: { $0.trust = trust }) { harness in
                let history = await harness.transfer(harness.request(nginx.url("a.bin", over: listener))) {
                    $0.offersHTTP2 = listener == .http2
                }
                try harness.expectFile(history, body, name: "a.bin")
            }
            let version = listener == .http2 ? "HTTP/2.0" : "HTTP/1.1"
            try await eventually("the request is logged") {
                nginx.accessLog().contains { $0.hasPrefix("GET /a.bin \(version) 200 3000000") }
            }
        }
    }

    @Test(arguments: Nginx.Listener.allCases)
    func `a stopped download resumes over each protocol`(listener: Nginx.Listener) async throws {
        try await withNginx { nginx in
            try nginx.add(file: "a.bin", body: body)
            let trust = TrustRoots(environment: ["SSL_CERT_FILE": nginx.caFile])
            try await withEngine(configured: { $0.trust = trust }) { harness in
                let request = harness.request(nginx.url("a.bin", over: listener))
                var job = harness.job(request)
                job.offersHTTP2 = listener == .http2
                // At this rate the complete file would take half a minute.
                job.gate = RateGate([RateLimiter(rate: 100_000)], priority: .normal)
                let run = harness.makeRun(job)
                async let report = run.run()
                let progress = job.progress
                try await eventually("bytes arrive") { progress.received.load(ordering: .relaxed) > 0 }
                await run.stop()
                let stopped = await report
                #expect(stopped.facts.ranges.byteCount < body.size)
                let history = await harness.transfer(request, from: stopped.facts) {
                    $0.offersHTTP2 = listener == .http2
                }
                try harness.expectFile(history, body, name: "a.bin")
            }
            try await eventually("the continuation is logged") {
                nginx.accessLog().contains { $0.contains(" 206 ") && $0.contains("\"bytes=") }
            }
        }
    }
}
