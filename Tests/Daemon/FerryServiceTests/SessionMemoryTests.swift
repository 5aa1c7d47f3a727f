import FerryCore
import FerryEngine
@testable import FerryService
import FerryRules
import Foundation
import Testing

@Suite struct `Session memory` {
    private let memory = SessionMemory(cookies: TransferCookies(), clock: SystemClock())
    private let id = TransferID(rawValue: 1)

    private func challenge(host: String = "a", realm: String = "r", failures: Int = 0) -> AuthenticationChallenge {
        var challenge = AuthenticationChallenge(
            scheme: .basic, realm: realm, host: host, port: 80, isSecure: false, isProxy: false)
        challenge.previousFailures = failures
        return challenge
    }

    private func trust(_ certificate: UInt8) -> TrustChallenge {
        TrustChallenge(host: "a", port: 443, certificates: [Data([certificate])], fault: nil)
    }

    private let credentials = ChallengeAnswer.credentials(Credentials(user: "u", password: "p"))

    @Test func `27 detached and without answers, or with default ones, the default is done`() {
        #expect(memory.answer(challenge(), of: id) == .performDefault)
        #expect(memory.answer(trust(1)) == .performDefault)
        memory.store(ChallengeAnswer.performDefault, to: challenge())
        #expect(memory.answer(challenge(host: "b"), of: id) == .performDefault)
    }

    @Test func `27 an answer fits its protection space, others wait`() {
        memory.store(credentials, to: challenge())
        #expect(memory.answer(challenge(), of: id) == credentials)
        #expect(memory.answer(challenge(realm: "other"), of: id) == .wait)
        #expect(memory.answer(challenge(host: "b"), of: id) == .wait)
        #expect(memory.answer(trust(1)) == .wait)
    }

    @Test func `27 an answer about a server fits its certificate`() {
        memory.store(TrustAnswer.accept, to: trust(1))
        #expect(memory.answer(trust(1)) == .accept)
        #expect(memory.answer(trust(2)) == .wait)
    }

    @Test func `27 the attached process is asked`() {
        memory.isAttached = true
        #expect(memory.answer(challenge(), of: id) == .wait)
        #expect(memory.answer(trust(1)) == .wait)
        memory.isAttached = false
        #expect(memory.answer(challenge(), of: id) == .performDefault)
    }

    @Test func `25 refused credentials are not sent again, and refusals count over attempts`() {
        memory.store(credentials, to: challenge())
        for refusals in 1...3 {
            #expect(memory.answer(challenge(), of: id) == credentials)
            #expect(memory.answer(challenge(failures: 1), of: id) == .wait)
            guard case .authentication(let shown) = memory.counting(.authentication(challenge(failures: 1)), of: id)
            else { return #expect(Bool(false)) }
            #expect(shown.previousFailures == refusals)
        }
        memory.forget(id)
        #expect(memory.counting(.authentication(challenge()), of: id) == .authentication(challenge()))
    }

    @Test func `23 cookies go back to the server that set them, until they expire`() throws {
        let url = try HTTPURL(parsing: "http://a.example/x")
        #expect(memory.cookies(for: url) == nil)
        #expect(memory.receive(["k=v"], from: url) != nil)
        #expect(memory.receive(["k=v"], from: url) == nil)
        #expect(memory.cookies(for: url) == "k=v")
        #expect(memory.cookies(for: try HTTPURL(parsing: "http://b.example/x")) == nil)
        #expect(memory.receive(["k=v; Max-Age=0"], from: url) != nil)
        #expect(memory.cookies(for: url) == nil)
    }
}
