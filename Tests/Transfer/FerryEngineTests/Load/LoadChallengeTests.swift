import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Load and challenges` {
    private let right = Credentials(user: "ferry", password: "s:ecret")
    private let basic = OriginScript(always: .basic(user: "ferry", password: "s:ecret"))

    @Test func `25 Basic credentials are given by the advisor`() async throws {
        try await withLoads(basic) { harness async throws in
            let right = right
            let advisor = TestAdvisor(challenge: { _ in .credentials(right) })
            let load = harness.load(advisor: advisor)
            #expect(try await load.head().status == 200)
            _ = try await load.rest()
            let asked = try #require(advisor.challenges.first)
            #expect(asked.scheme == .basic)
            #expect(asked.realm == "ferry")
            #expect(asked.host == "127.0.0.1")
            #expect(asked.port == harness.origin.port)
            #expect(!asked.isProxy)
            #expect(load.exchanges.map { $0.response?.status } == [401, 200])
            #expect(!load.exchanges.contains { $0.fields.contains { $0.isNamed("Authorization") } })
        }
    }

    @Test func `25 refusals are counted until the advisor gives up`() async throws {
        try await withLoads(basic) { harness async throws in
            let advisor = TestAdvisor(challenge: { challenge in
                challenge.previousFailures < 2
                    ? .credentials(Credentials(user: "x", password: "\(challenge.previousFailures)")) : .performDefault
            })
            #expect(try await harness.load(advisor: advisor).head().status == 401)
            #expect(advisor.challenges.map(\.previousFailures) == [0, 1, 2])
        }
    }

    @Test func `25 default handling takes stored credentials, then those of the URL, then the 401`() async throws {
        try await withLoads(basic) { harness async throws in
            let right = right
            #expect(try await harness.load { $0.credentials = right }.head().status == 200)
            let inURL = harness.origin.url().replacing("http://", with: "http://ferry:s%3Aecret@")
            #expect(try await harness.load(inURL).head().status == 200)
            let none = harness.load()
            #expect(try await none.head().status == 401)
            #expect(try await none.rest() == Array("Who are you?\n".utf8))
            let wrong = inURL.replacing("ecret", with: "wrong")
            #expect(try await harness.load(wrong).head().status == 401)
        }
    }

    @Test func `25 a canceled challenge ends the exchange`() async throws {
        try await withLoads(basic) { harness async throws in
            #expect(await harness.load(advisor: TestAdvisor(challenge: { _ in .cancel })).failure()?.code == .canceled)
        }
    }

    @Test func `25 a rejected space leaves the 401`() async throws {
        try await withLoads(basic) { harness async throws in
            let advisor = TestAdvisor(challenge: { _ in .rejectProtectionSpace })
            #expect(try await harness.load(advisor: advisor).head().status == 401)
            #expect(advisor.challenges.count == 1)
        }
    }

    @Test func `25 Digest proves the password without sending it`() async throws {
        let refusal = """
            HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r
            WWW-Authenticate: Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256\r
            WWW-Authenticate: Basic realm="r"\r\n\r\n
            """
        let script = OriginScript(rules: [.on(.not(.has("Authorization")), .raw(Array(refusal.utf8)))])
        try await withLoads(script) { harness async throws in
            let right = right
            let advisor = TestAdvisor(challenge: { _ in .credentials(right) })
            let load = harness.load("/a?b=c", method: "PUT", body: .bytes(Data([1, 2, 3])), advisor: advisor)
            #expect(try await load.head().status == 200)
            _ = try await load.rest()
            #expect(advisor.challenges.map(\.scheme) == [.digest])
            let last = try #require(harness.origin.requests.last)
            #expect(last.body == [1, 2, 3])
            let sent = try #require(AuthenticationOffer.all(in: last.values("Authorization")).first)
            let offer = try #require(
                AuthenticationOffer.all(in: [
                    #"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#
                ]).first)
            let nonce = try #require(sent.parameters["cnonce"])
            let proof = DigestAuthentication.Proof(method: "PUT", target: "/a?b=c", count: 1, clientNonce: nonce)
            let expected = DigestAuthentication(offer)?.authorization(right, proof, digester: DigestHashing.digest)
            #expect(last.values("Authorization") == [expected])
            #expect(nonce.utf8.count >= 16)
        }
    }

    @Test func `25 credentials stay with their origin`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let right = right
            let elsewhere = harness.origin.url("/elsewhere", host: "localhost")
            harness.origin.script = OriginScript(rules: [
                .always(.basic(user: "ferry", password: "s:ecret")),
                .on(.path("/old"), .redirect(to: elsewhere)),
            ])
            let load = harness.load("/old") { $0.credentials = right }
            #expect(try await load.head().status == 401)
            #expect(harness.origin.requests.last?.path == "/old" || harness.origin.requests.last?.path == "/elsewhere")
            #expect(
                harness.origin.requests.filter { $0.path == "/elsewhere" }.allSatisfy {
                    $0.value("Authorization") == nil
                })
        }
    }

    @Test func `25 a proxy's challenge is asked about`() async throws {
        let proxy = try await ScriptedProxy.start(.refuse(407))
        do {
            try await withLoads(OriginScript()) { harness async throws in
                let right = right
                let advisor = TestAdvisor(challenge: {
                    $0.previousFailures == 0 ? .credentials(right) : .performDefault
                })
                let load = harness.load(advisor: advisor) {
                    $0.proxyEnvironment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
                }
                #expect(await load.failure()?.code == .proxyAuthRequired)
                #expect(advisor.challenges.map(\.isProxy) == [true, true])
                #expect(proxy.heads.last?.contains(right.basicAuthorization) == true)
                #expect(harness.origin.requests.isEmpty)
            }
        } catch {
            await proxy.shutdown()
            throw error
        }
        await proxy.shutdown()
    }
}
