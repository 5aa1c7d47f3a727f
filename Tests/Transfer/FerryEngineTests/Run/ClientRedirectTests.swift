import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Redirects and challenges of a client's transfers` {
    private let body = SeededBody(seed: 93, size: 100_000)
    private let content = Data("some content".utf8)

    @Test(arguments: [(20, nil), (21, -1007)] as [(Int, Int?)])
    func `11 twenty redirects are followed`(hops: Int, code: Int?) async throws {
        try await withClient(OriginScript(body, rules: .redirects(hops: hops))) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url("/hop/\(hops)")))
            #expect(history.failure.map { $0.details.urlError ?? $0.code.row.urlError ?? 0 } == code)
            if code == nil { #expect(history.facts.response?.url == origin.url("/file.bin")) }
        }
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (301, "PUT", "PUT"),
        (307, "POST", "POST"), (308, "PUT", "PUT"),
    ])
    func `12 methods and bodies after a redirect`(status: Int, first: String, second: String) async throws {
        let script = OriginScript(body, rules: .redirects(through: "/a", "/b", status: status))
        try await withClient(script) { harness, origin in
            let request = harness.task(origin.url("/a")) {
                $0.method = first
                $0.headers = [HeaderField(name: "Content-Type", value: "text/plain")]
                if first != "HEAD" { $0.body = .bytes(content) }
            }
            let history = await harness.transfer(request)
            #expect(history.success != nil, "\(history.errors)")
            #expect(origin.requests.map(\.method) == [first, second])
            let keeps = first == second && first != "HEAD"
            #expect(origin.requests.last?.body == (keeps ? Array(content) : []))
            #expect((origin.requests.last?.value("Content-Type") != nil) == (first == second))
        }
    }

    @Test func `12 a 3xx without Location is the result`() async throws {
        try await withClient(OriginScript(body, always: .redirect(to: nil))) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url()))
            #expect(history.success != nil)
            #expect(history.facts.response?.status == 302)
        }
    }

    @Test func `12 https to http and foreign schemes are refused`() async throws {
        try await withClient(OriginScript(body, always: .redirect(to: "http://localhost:1/x")), tls: .trusted) {
            harness, origin in
            #expect(await harness.transfer(harness.task(origin.url())).failure?.details.urlError == -1022)
        }
        try await withClient(OriginScript(body, always: .redirect(to: "ftp://localhost/x"))) { harness, origin in
            #expect(await harness.transfer(harness.task(origin.url())).failure?.details.urlError == -1002)
        }
    }

    @Test func `13 credentials stay behind and other fields go along, also on the way back`() async throws {
        try await withOrigin(OriginScript(body)) { other in
            let script = OriginScript(body, rules: [.on(.path("/a"), .redirect(to: other.url("/b")))])
            try await withClient(script) { harness, origin in
                other.script = OriginScript(body, rules: [.on(.path("/b"), .redirect(to: origin.url("/c")))])
                let request = harness.task(origin.url("/a")) {
                    $0.headers = ["Authorization", "Cookie", "X-Own"].map { HeaderField(name: $0, value: "x=1") }
                }
                #expect(await harness.transfer(request).success != nil)
                #expect(origin.requests.first?.value("Authorization") == "x=1")
                for request in [other.requests.last, origin.requests.last] {
                    #expect(request?.value("Authorization") == nil)
                    #expect(request?.value("Cookie") == nil)
                    #expect(request?.value("X-Own") == "x=1")
                }
            }
        }
    }

    @Test func `11 a declined redirect is the result and another request may take its place`() async throws {
        let script = OriginScript(body, rules: .redirects(through: "/a", "/b"))
        try await withClient(script) { harness, origin in
            let declined = await harness.transfer(harness.task(origin.url("/a"))) {
                $0.advisor = TestAdvisor(redirect: { _ in .stay })
            }
            #expect(declined.facts.response?.status == 302)
            #expect(origin.requests.map(\.path) == ["/a"])
            let target = origin.url("/c")
            let other = await harness.transfer(harness.task(origin.url("/a"))) {
                $0.advisor = TestAdvisor(redirect: { _ in
                    .followOther(url: target, method: "GET", fields: [HeaderField(name: "X-New", value: "1")])
                })
            }
            try harness.expectFile(other, body)
            #expect(origin.requests.last?.path == "/c")
            #expect(origin.requests.last?.value("X-New") == "1")
            let canceled = await harness.transfer(harness.task(origin.url("/a"))) {
                $0.advisor = TestAdvisor(redirect: { _ in .cancel })
            }
            #expect(canceled.failure?.code == .canceled)
        }
    }

    @Test func `25 Basic works, and refusals are counted`() async throws {
        try await withClient(OriginScript(body, always: .basic(user: "u", password: "p"))) { harness, origin in
            let advisor = TestAdvisor(challenge: { challenge in
                .credentials(Credentials(user: "u", password: challenge.previousFailures < 2 ? "wrong" : "p"))
            })
            let history = await harness.transfer(harness.task(origin.url())) { $0.advisor = advisor }
            try harness.expectFile(history, body)
            #expect(advisor.challenges.map(\.previousFailures) == [0, 1, 2])
            #expect(origin.requests.first?.value("Authorization") == nil)
        }
    }

    @Test(arguments: [true, false]) func `25 default handling sends a stored credential, else the 401 is the result`(
        hasCredentials: Bool
    ) async throws {
        try await withClient(OriginScript(body, always: .basic(user: "u", password: "p"))) { harness, origin in
            let history = await harness.transfer(
                harness.task(origin.url()),
                credentials: hasCredentials ? Credentials(user: "u", password: "p") : nil
            ) { $0.advisor = TestAdvisor() }
            #expect(history.facts.response?.status == (hasCredentials ? 200 : 401))
        }
    }

    @Test func `25 a refused challenge cancels, and one without answer waits`() async throws {
        try await withClient(OriginScript(body, always: .basic(user: "u", password: "p"))) { harness, origin in
            let canceled = await harness.transfer(harness.task(origin.url())) {
                $0.advisor = TestAdvisor(challenge: { _ in .cancel })
            }
            #expect(canceled.failure?.code == .canceled)
            let waiting = await harness.transfer(harness.task(origin.url())) {
                $0.advisor = TestAdvisor(challenge: { _ in .wait })
            }
            guard case .challenged(.authentication(let challenge)) = waiting.end else {
                Issue.record("it ended with \(waiting.end)")
                return
            }
            #expect(challenge.scheme == .basic)
        }
    }

    /// Origins are reached through a tunnel, so a 407 from inside it is not the proxy's.
    @Test func `Q12 an origin that poses as a proxy is given no credentials`() async throws {
        let script = OriginScript(
            body, always: .status(407), .field("Proxy-Authenticate", "Basic"), .field("WWW-Authenticate", "Basic"))
        try await withClient(script) { harness, origin in
            let advisor = TestAdvisor(challenge: { _ in .credentials(Credentials(user: "u", password: "p")) })
            let history = await harness.transfer(harness.task(origin.url())) { $0.advisor = advisor }
            #expect(history.facts.response?.status == 407)
            #expect(advisor.challenges.isEmpty)
            #expect(origin.requests.map { $0.value("Authorization") } == [nil])
        }
    }

    @Test(arguments: [TrustAnswer.accept, .wait, .cancel]) func `25 26 a certificate is its client's to judge`(
        answer: TrustAnswer
    ) async throws {
        try await withClient(OriginScript(body), tls: .selfSigned) { harness, origin in
            let history = await harness.transfer(harness.task(origin.url())) {
                $0.advisor = TestAdvisor(trust: { _ in answer })
            }
            switch (answer, history.end) {
            case (.accept, .succeeded), (.wait, .challenged(.trust)): break
            case (.cancel, .failed(let error)): #expect(error.code == .canceled)
            default: Issue.record("it ended with \(history.end)")
            }
        }
    }

    /// The advisor never responds. The run ends nevertheless.
    @Test func `25 an attempt is stopped while its client decides`() async throws {
        try await withClient(OriginScript(body, always: .redirect(to: "/b"))) { harness, origin in
            let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: RedirectAnswer.self)
            defer { answer.finish() }
            var job = harness.job(harness.task(origin.url()))
            job.advisor = TestAdvisor(redirect: { _ in
                continuation.yield()
                for await answer in answers { return answer }
                return .follow
            })
            let run = harness.makeRun(job)
            let report = Task { await run.run() }
            for await _ in asked { break }
            await run.stop()
            guard case .stopped = await report.value.result else {
                Issue.record("it was not stopped")
                return
            }
        }
    }

    @Test func `23 given cookies go where they belong, and a field of the client's wins`() async throws {
        try await withClient(OriginScript(body)) { harness, origin in
            let given = [
                GivenCookie(name: "a", value: "1", domain: "127.0.0.1", path: "/", secure: false),
                GivenCookie(name: "b", value: "2", domain: "example.org", path: "/", secure: false),
                GivenCookie(name: "c", value: "3", domain: "127.0.0.1", path: "/", secure: true),
                GivenCookie(name: "d", value: "4", domain: "127.0.0.1", path: "/x", secure: false),
            ]
            for own in [nil, "z=9"] as [String?] {
                let request = harness.task(origin.url()) {
                    $0.cookies = given
                    $0.headers = own.map { [HeaderField(name: "Cookie", value: $0)] } ?? []
                }
                #expect(await harness.transfer(request).success != nil)
                #expect(origin.requests.last?.values("Cookie") == [own ?? "a=1"])
            }
        }
    }
}
