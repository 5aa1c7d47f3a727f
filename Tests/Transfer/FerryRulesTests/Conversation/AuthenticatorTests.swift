import FerryCore
import FerryRules
import Testing

@Suite struct `Answering challenges` {
    private static let digester: DigestAuthentication.Digester = { _, _ in [1, 2, 3] }
    private let right = Credentials(user: "u", password: "p")

    private func head(_ challenges: String..., status: Int = 401) -> ResponseHead {
        let name = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
        return ResponseHead(
            status: status, fields: challenges.map { HeaderField(name: name, value: $0) }, url: "http://h/a",
            origin: Origin(scheme: "http", host: "h", port: 80))
    }

    private func receive(
        _ authenticator: inout Authenticator, _ head: ResponseHead, proposed: Credentials? = nil
    ) -> Authenticator.Step {
        authenticator.received(head, host: "h", port: 80, isSecure: false, proposed: proposed)
    }

    private func field(_ authenticator: inout Authenticator) -> String? {
        authenticator.authorization(method: "GET", target: "/a", clientNonce: "c", digester: Self.digester)
    }

    private func challenge(_ step: Authenticator.Step) throws -> AuthenticationChallenge {
        guard case .ask(let challenge) = step else {
            Issue.record("\(step)")
            throw ServiceError(.internal, "no challenge")
        }
        return challenge
    }

    @Test func `25 nothing is sent before it is asked for`() {
        var authenticator = Authenticator()
        #expect(field(&authenticator) == nil)
    }

    @Test func `25 given credentials are sent with this request and the next`() throws {
        var authenticator = Authenticator()
        _ = field(&authenticator)
        let asked = try challenge(receive(&authenticator, head(#"Basic realm="r""#)))
        #expect(asked.scheme == .basic)
        #expect(asked.realm == "r")
        #expect(asked.previousFailures == 0)
        #expect(asked.response?.status == 401)
        #expect(authenticator.answered(.credentials(right)) == .send)
        #expect(field(&authenticator) == right.basicAuthorization)
        #expect(field(&authenticator) == right.basicAuthorization)
    }

    @Test func `25 refusals are counted`() throws {
        var authenticator = Authenticator()
        for failures in 0..<4 {
            let asked = try challenge(receive(&authenticator, head("Basic")))
            #expect(asked.previousFailures == failures)
            #expect(authenticator.answered(.credentials(right)) == .send)
            _ = field(&authenticator)
        }
    }

    @Test func `25 default handling sends the proposed credential once, then the 401 is the result`() throws {
        var authenticator = Authenticator()
        _ = field(&authenticator)
        let first = try challenge(receive(&authenticator, head("Basic"), proposed: right))
        #expect(first.proposed == right)
        #expect(authenticator.answered(.performDefault) == .send)
        _ = field(&authenticator)
        let second = try challenge(receive(&authenticator, head("Basic"), proposed: right))
        #expect(second.proposed == nil)
        #expect(second.previousFailures == 1)
        #expect(authenticator.answered(.performDefault) == .result)
        #expect(field(&authenticator) == nil)
    }

    @Test func `25 a rejected space leads to the next scheme, and from the last to the result`() throws {
        var authenticator = Authenticator()
        let offers = head(
            "Basic realm=b, Negotiate", "Digest realm=d, nonce=1, algorithm=MD5", "Digest nonce=2, algorithm=SHA-256")
        #expect(try challenge(receive(&authenticator, offers)).scheme == .digest)
        #expect(try challenge(authenticator.answered(.rejectProtectionSpace)).realm == "d")
        #expect(try challenge(authenticator.answered(.rejectProtectionSpace)).scheme == .basic)
        #expect(authenticator.answered(.rejectProtectionSpace) == .result)
    }

    @Test func `25 a canceled challenge ends the exchange`() throws {
        var authenticator = Authenticator()
        _ = receive(&authenticator, head("Basic"))
        #expect(authenticator.answered(.cancel) == .cancel)
    }

    @Test func `25 a scheme that cannot be answered is a result at once`() {
        var authenticator = Authenticator()
        #expect(receive(&authenticator, head("Negotiate", "Digest nonce=1, algorithm=SHA-512-256")) == .result)
        #expect(receive(&authenticator, head()) == .result)
    }

    @Test func `25 the strongest digest is preferred and its uses are counted`() throws {
        var authenticator = Authenticator()
        _ = receive(&authenticator, head(#"Digest realm="d", nonce="1", qop="auth", algorithm=SHA-256, Basic"#))
        #expect(authenticator.answered(.credentials(right)) == .send)
        #expect(field(&authenticator)?.contains("nc=00000001") == true)
        #expect(field(&authenticator)?.contains("nc=00000002") == true)
    }

    @Test func `25 a stale nonce is replaced without asking, but not for ever`() throws {
        var authenticator = Authenticator()
        _ = receive(&authenticator, head(#"Digest realm="d", nonce="0", qop="auth""#))
        _ = authenticator.answered(.credentials(right))
        _ = field(&authenticator)
        for nonce in 1...2 {
            let step = receive(&authenticator, head(#"Digest realm="d", nonce="\#(nonce)", qop="auth", stale=true"#))
            #expect(step == .send)
            #expect(field(&authenticator)?.contains(#"nonce="\#(nonce)""#) == true)
        }
        let last = try challenge(receive(&authenticator, head(#"Digest realm="d", nonce="3", qop="auth", stale=true"#)))
        #expect(last.previousFailures == 1)
    }

    @Test func `25 a proxy's challenge is one of the proxy's`() throws {
        var authenticator = Authenticator()
        let asked = try challenge(receive(&authenticator, head("Basic", status: 407)))
        #expect(asked.isProxy)
    }

    /// A server may give each nonce a short life. A nonce that was accepted in between is not a loop.
    @Test func `a nonce may become stale as often as one was good in between`() {
        func offer(_ nonce: Int, stale: Bool) -> ResponseHead {
            head("Digest realm=\"r\", nonce=\"\(nonce)\", stale=\(stale)")
        }
        var authenticator = Authenticator()
        _ = receive(&authenticator, offer(0, stale: false), proposed: right)
        #expect(authenticator.answered(.performDefault) == .send)
        for nonce in 1...9 {
            let version = authenticator.version
            _ = field(&authenticator)
            #expect(receive(&authenticator, offer(nonce, stale: true), proposed: right) == .send)
            #expect(authenticator.version != version)
            _ = field(&authenticator)
            authenticator.accepted()
        }
        _ = receive(&authenticator, offer(10, stale: true), proposed: right)
        _ = field(&authenticator)
        _ = receive(&authenticator, offer(11, stale: true), proposed: right)
        _ = field(&authenticator)
        #expect(receive(&authenticator, offer(12, stale: true), proposed: right) != .send)
    }
}

@Suite struct `Authentication offers` {
    @Test func `25 several challenges in one field are distinguished`() {
        let offers = AuthenticationOffer.all(in: [
            #"Basic realm="a, b", charset="UTF-8", Digest realm=c,nonce="n\"1", qop="auth,auth-int" , stale = TRUE"#
        ])
        #expect(offers.map(\.scheme) == ["basic", "digest"])
        #expect(offers[0].parameters == ["realm": "a, b", "charset": "UTF-8"])
        #expect(
            offers[1].parameters == ["realm": "c", "nonce": "n\"1", "qop": "auth,auth-int", "stale": "TRUE"])
    }

    @Test func `25 several fields are read in order`() {
        let offers = AuthenticationOffer.all(in: ["Negotiate", "NTLM TlRMTVNTUAAC==", #"basic REALM="x""#])
        #expect(offers.last?.scheme == "basic")
        #expect(offers.last?.realm == "x")
        #expect(offers.first?.scheme == "negotiate")
    }

    @Test(arguments: [
        "", ",,,", "\"", "=", "Basic realm=\"never closed", "Basic realm=", "Digest nonce=\"\\", "\u{FF}\u{0}",
        String(repeating: "a=,", count: 5000), String(repeating: "Basic ,", count: 5000),
    ])
    func `25 nonsense is passed over`(value: String) {
        #expect(AuthenticationOffer.all(in: [value]).count <= 16)
    }
}
