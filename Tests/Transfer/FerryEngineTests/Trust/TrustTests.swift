import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import NIOSSL
import Testing
@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `Server trust` {
    private static let faults: [(TLSFault, Int)] = [
        (.selfSigned, -1202), (.expired, -1201), (.otherHost, -1202), (.clientOnlyPurpose, -1202),
    ]

    @Test func `26 a good certificate is shown with its chain and without fault`() async throws {
        try await withLoads(OriginScript(), tls: .trusted) { harness async throws in
            let advisor = TestAdvisor()
            let load = harness.load(advisor: advisor)
            #expect(await load.failure() == nil)
            let shown = try #require(advisor.trusts.first)
            #expect(shown.host == "localhost")
            #expect(shown.port == harness.origin.port)
            #expect(shown.fault == nil)
            #expect(shown.certificates.count == 2)
            #expect(shown.certificates.allSatisfy { $0.first == 0x30 })
            let facts = try #require(load.exchanges.first)
            #expect(facts.tlsVersion == .v1_3)
            #expect(facts.secureConnectionStart != nil)
            #expect(facts.secureConnectionEnd == facts.connectEnd)
            #expect(harness.origin.requests.first?.value("Host") == "localhost:\(harness.origin.port)")
        }
    }

    @Test(arguments: faults) func `26 default handling refuses a wrong certificate before anything is sent`(
        fault: TLSFault, urlError: Int
    ) async throws {
        try await withLoads(OriginScript(), tls: fault) { harness async throws in
            let advisor = TestAdvisor()
            let error = await harness.load(advisor: advisor).failure()
            #expect(error?.code == .tlsCertificate, "\(String(describing: error))")
            #expect(error?.details.urlError == urlError)
            #expect(advisor.trusts.first?.fault == error)
            #expect(harness.origin.requests.isEmpty)
        }
    }

    @Test(arguments: faults.map(\.0)) func `26 any certificate may be accepted`(fault: TLSFault) async throws {
        try await withLoads(OriginScript(), tls: fault) { harness async throws in
            #expect(await harness.load(advisor: TestAdvisor(trust: { _ in .accept })).failure() == nil)
        }
    }

    @Test func `26 an unknown authority is a fault`() async throws {
        try await withLoads(OriginScript(), tls: .trusted, trusting: false) { harness async throws in
            let advisor = TestAdvisor()
            #expect(await harness.load(advisor: advisor).failure()?.details.urlError == -1202)
            #expect(advisor.trusts.first?.certificates.count == 1)
            #expect(await harness.load(advisor: TestAdvisor(trust: { _ in .accept })).failure() == nil)
        }
    }

    @Test(arguments: [(TrustAnswer.cancel, ErrorCode.canceled), (.reject, .tlsCertificate), (.wait, .tlsCertificate)])
    func `25 a good certificate may be turned down`(answer: TrustAnswer, code: ErrorCode) async throws {
        try await withLoads(OriginScript(), tls: .trusted) { harness async throws in
            #expect(await harness.load(advisor: TestAdvisor(trust: { _ in answer })).failure()?.code == code)
            #expect(harness.origin.requests.isEmpty)
        }
    }

    /// One client's decision to accept a connection does not apply to another client.
    @Test func `26 a request on a shared connection is asked all the same`() async throws {
        try await withLoads(OriginScript(), tls: .selfSigned) { harness async throws in
            #expect(await harness.load(advisor: TestAdvisor(trust: { _ in .accept })).failure() == nil)
            let careful = TestAdvisor()
            #expect(await harness.load(advisor: careful).failure()?.code == .tlsCertificate)
            #expect(await harness.load().failure()?.code == .tlsCertificate)
            #expect(careful.trusts.count == 1)
            #expect(harness.origin.requests.count == 1)
        }
    }

    @Test func `24 one client is asked once for each certificate`() async throws {
        try await withLoads(OriginScript(), tls: .selfSigned) { harness async throws in
            let (scope, advisor) = (TrustScope(), TestAdvisor(trust: { _ in .accept }))
            for _ in 0..<3 {
                #expect(await harness.load(advisor: advisor) { $0.trust = scope }.failure() == nil)
            }
            #expect(advisor.trusts.count == 1)
            #expect(harness.origin.requests.count == 3)
            #expect(harness.origin.facts.connections == 1)
        }
    }

    /// A daemon runs for weeks. Meanwhile authorities are added and removed.
    @Test func `a new connection goes by the roots as they are`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = URL(filePath: folder.file("roots.pem"))
        let other = try await TestCertificates.make()
        defer { other.remove() }
        try Data(contentsOf: URL(filePath: other.caFile)).write(to: file)
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": folder.file("roots.pem")])
        try await withClient(OriginScript(), tls: .trusted, configured: { $0.trust = trust }) { harness, origin in
            func failure(_ host: String) async -> ErrorCode? {
                let request = LoadRequest(url: origin.url("/x", host: host), method: "GET", body: .none)
                return await Load(request, engine: harness.engine, advisor: TestAdvisor()).failure()?.code
            }
            #expect(await failure("localhost") == .tlsCertificate)
            try Data(contentsOf: URL(filePath: try #require(origin.caFile))).write(to: file)
            // Another host has its own connections.
            #expect(await failure("127.0.0.1") == nil)
        }
    }

    @Test func `26 versions are limited as the request says`() async throws {
        try await withLoads(OriginScript(), tls: .trusted) { harness async throws in
            for advisor in [TestAdvisor(), nil] {
                let load = harness.load(advisor: advisor) { $0.maximumTLS = .v1_2 }
                #expect(await load.failure() == nil)
                #expect(load.exchanges.first?.tlsVersion == .v1_2)
            }
        }
        try await withLoads(OriginScript(), tls: .oldProtocol) { harness async throws in
            #expect(await harness.load(advisor: TestAdvisor()).failure()?.code == .tlsFailed)
        }
    }

    @Test func `26 a handshake that is cut is no certificate's fault`() async throws {
        try await withLoads(OriginScript(), tls: .handshakeCut) { harness async throws in
            let error = await harness.load(advisor: TestAdvisor()).failure()
            #expect([.tlsFailed, .connectionLost].contains(error?.code), "\(String(describing: error))")
        }
    }

    @Test func `16 a body cut inside of TLS is a lost connection`() async throws {
        try await withLoads(OriginScript(always: .untilClose, .tlsTruncate(after: 1000)), tls: .trusted) {
            harness async throws in
            #expect(await harness.load(advisor: TestAdvisor()).failure()?.code == .connectionLost)
        }
    }

    @Test func `21 no timeout runs while the client decides`() async throws {
        let script = OriginScript(SeededBody(seed: 1, size: 1000), .on(.path("/silent"), .hold("never", at: .head)))
        try await withLoads(script, tls: .trusted) { harness async throws in
            // The client decides after an equal timeout that began later has expired.
            let advisor = TestAdvisor(trust: { _ in
                let silent = harness.load("/silent", advisor: TestAdvisor()) { $0.idleTimeout = 1 }
                #expect(await silent.failure() != nil)
                return .accept
            })
            #expect(await harness.load(advisor: advisor) { $0.idleTimeout = 1 }.failure() == nil)
        }
    }

    @Test func `28 a proxy's tunnel carries TLS of one's own`() async throws {
        let proxy = try await ScriptedProxy.start()
        try await withLoads(OriginScript(), tls: .trusted) { harness async throws in
            let load = harness.load(advisor: TestAdvisor()) {
                $0.proxyEnvironment = ["https_proxy": "http://127.0.0.1:\(proxy.port)"]
            }
            #expect(await load.failure() == nil)
            #expect(proxy.heads.count == 1)
            #expect(load.exchanges.first?.isProxyConnection == true)
        }
        await proxy.shutdown()
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The certificates that an advisor is shown` {
    /// After the leaf, the library reports again a certificate that violates another one's name constraints. An advisor
    /// that pins a server's certificate must not take another server's certificate for it.
    @Test(arguments: [true, false])
    func `begin with the server's own, whatever the library speaks of last`(isGood: Bool) async throws {
        let files = try await TestCertificates.make()
        defer { files.remove() }
        let root = try #require(try NIOSSLCertificate.fromPEMFile(files.caFile).first)
        let leaf = try #require(try NIOSSLCertificate.fromPEMFile(files.certificateFile).first)
        let listener = ChainListener()
        _ = listener.judged(root, .certificateVerified)
        _ = listener.judged(leaf, .certificateVerified)
        _ = listener.judged(root, isGood ? .certificateVerified : .failed)
        let shown = listener.shown(for: "localhost", leaf: leaf, now: Date())
        #expect(try shown.chain == [leaf, root].map { try Data($0.toDERBytes()) })
        #expect((shown.fault == nil) == isGood)
        // A certificate without a verdict is not trusted.
        #expect(ChainListener().shown(for: "localhost", leaf: leaf, now: Date()).fault != nil)
        #expect(listener.shown(for: "localhost", leaf: nil, now: Date()).fault != nil)
    }
}
