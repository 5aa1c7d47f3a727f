import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Credentials of a URL` {
    private let body = SeededBody(seed: 91, size: 100_000)
    private let credentials = Credentials(user: "ann", password: "secret")

    /// Returns an origin that accepts any credentials after a challenge.
    private func origin(asking challenge: String, _ body: SeededBody) -> OriginScript {
        OriginScript(body, .on(.not(.has("Authorization")), .status(401), .field("WWW-Authenticate", challenge)))
    }

    /// Checks a Digest response by computing it independently (RFC 7616 §3.4.1).
    private func expectProof(_ sent: String?, _ hash: DigestAuthentication.Hash) throws {
        let answer = try #require(sent)
        let fields = try #require(AuthenticationOffer.all(in: [answer]).first)
        func hashed(_ text: String) -> String {
            DigestHashing.digest(hash, Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let (count, nonce) = (try #require(fields.parameters["nc"]), try #require(fields.parameters["cnonce"]))
        let secret = hashed("ann:r:secret")
        #expect(fields.scheme == "digest")
        #expect(fields.parameters["username"] == "ann")
        #expect(fields.parameters["uri"] == "/file.bin")
        #expect(
            fields.parameters["response"] == hashed("\(secret):n1:\(count):\(nonce):auth:\(hashed("GET:/file.bin"))"))
    }

    @Test(arguments: [("", DigestAuthentication.Hash.md5), (", algorithm=SHA-256", .sha256)])
    func `a server that asks for Digest gets Digest`(algorithm: String, hash: DigestAuthentication.Hash) async throws {
        let script = origin(asking: #"Digest realm="r", nonce="n1", qop="auth"\#(algorithm)"#, body)
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
            try harness.expectFile(history, body)
            #expect(origin.requests.count == 2)
            #expect(origin.requests.first?.value("Authorization") == nil)
            try expectProof(origin.requests.last?.value("Authorization"), hash)
        }
    }

    @Test func `a server that does not ask gets no password`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
            try harness.expectFile(history, body)
            #expect(origin.requests.map { $0.value("Authorization") } == [nil])
        }
    }

    @Test func `a field of the caller's own is the only answer`() async throws {
        try await withEngine(OriginScript(body, always: .status(401), .field("WWW-Authenticate", "Basic"))) {
            harness, origin in
            let request = harness.request(origin.url()) {
                $0.headers = [HeaderField(name: "Authorization", value: "Bearer token")]
            }
            let history = await harness.transfer(request, credentials: credentials)
            #expect(history.failure?.code == .authRequired)
            #expect(origin.requests.map { $0.value("Authorization") } == ["Bearer token"])
        }
    }

    @Test func `a nonce that became stale is renewed, and a wrong password is no loop`() async throws {
        let stale = #"Digest realm="r", nonce="n2", qop="auth", stale=true"#
        var script = origin(asking: #"Digest realm="r", nonce="n1", qop="auth""#, body)
        script.rules.append(.on(.request(2), .status(401), .field("WWW-Authenticate", stale)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
            try harness.expectFile(history, body)
            #expect(origin.requests.last?.value("Authorization")?.contains(#"nonce="n2""#) == true)
            #expect(origin.requests.count == 3)
        }
        let challenge = #"Digest realm="r", nonce="n1", qop="auth""#
        try await withEngine(OriginScript(body, always: .status(401), .field("WWW-Authenticate", challenge))) {
            harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
            #expect(history.failure?.code == .authRequired)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `parts are asked for with proofs of their own`() async throws {
        let body = SeededBody(seed: 92, size: 8 << 20)
        var script = origin(asking: #"Digest realm="r", nonce="n1", qop="auth""#, body)
        script.rules.append(.on(.request(2), .hold("first", at: .body(65_536))))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url()) { $0.transport.connections = 3 }
            async let transferred = harness.transfer(request, credentials: credentials)
            await origin.waitForRequests(4)
            origin.release("first")
            try harness.expectFile(await transferred, body)
            let answers = origin.requests.dropFirst().map { $0.value("Authorization") }
            for answer in answers { try expectProof(answer, .md5) }
            let counts = answers.compactMap { $0.map { AuthenticationOffer.all(in: [$0])[0].parameters["nc"] } }
            #expect(Set(counts).count == answers.count)
        }
    }
}
