import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Redirects and credentials` {
    private let body = SeededBody(seed: 41, size: 300_000)
    private let credentials = Credentials(user: "ann", password: "secret")
    private let asking = OriginMode.basic(user: "ann", password: "secret")
    private let secrets = ["Authorization", "Cookie", "Referer", "X-Own", "Proxy-Authorization"]

    @Test(arguments: [301, 302, 303, 307, 308])
    func `O35 a relative redirect is followed and does not choose the name`(status: Int) async throws {
        let script = OriginScript(body, .on(.path("/a/file.bin"), .redirect(to: "../.bashrc?x=1#y", status: status)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url("/a/file.bin")))
            try harness.expectFile(history, body)
            #expect(origin.requests.map(\.target) == ["/a/file.bin", "/.bashrc?x=1"])
            #expect(history.facts.redirects.allSatisfy { !$0.contains("x=1") })
        }
    }

    @Test(arguments: [(20, nil), (21, .tooManyRedirects)] as [(Int, ErrorCode?)])
    func `O35 X1 twenty redirects are followed`(hops: Int, code: ErrorCode?) async throws {
        try await withEngine(OriginScript(body, rules: .redirects(hops: hops))) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url("/hop/\(hops)")) { $0.file.name = "file.bin" })
            #expect(history.failure?.code == code)
            if code == nil { try harness.expectFile(history, body) } else { #expect(harness.contents == []) }
        }
    }

    @Test(
        arguments: [(0, 1, .tooManyRedirects), (1, 1, nil), (2, 2, nil), (2, 3, .tooManyRedirects)]
            as [(Int, Int, ErrorCode?)])
    func `X1 a request says how many redirects are followed`(most: Int, hops: Int, code: ErrorCode?) async throws {
        try await withEngine(OriginScript(body, rules: .redirects(hops: hops))) { harness, origin in
            let request = harness.request(origin.url("/hop/\(hops)")) {
                ($0.file.name, $0.transport.redirects.most) = ("file.bin", most)
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == code)
            #expect(origin.requests.count == min(most, hops) + 1)
        }
    }

    @Test func `O35 X1 a circle ends after three looks`() async throws {
        let script = OriginScript(body, rules: .redirects(through: "/file.bin", "/b", "/file.bin"))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .tooManyRedirects)
            #expect(origin.requests.map(\.path) == ["/file.bin", "/b", "/file.bin", "/b", "/file.bin", "/b"])
        }
    }

    @Test func `a redirect to the same URL is followed, since a second look may bring the file`() async throws {
        try await withEngine(OriginScript(body, .on(.requests(1...2), .redirect(to: "/file.bin")))) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.count == 3)
        }
    }

    @Test(
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/x", "scp://127.0.0.1/x", "data:text/plain,x", "unix:/x",
            "http://127.0.0.1:0/x", "http://127.0.0.1%2Fx/", "http://exa mple/", "http:///x", nil,
        ] as [String?])
    func `O35 X2 CVE_2009_0037 a target that is no web address is refused`(target: String?) async throws {
        try await withEngine(OriginScript(body, always: .redirect(to: target))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            #expect(history.failure?.code == .redirectRefused, "\(history.errors)")
            #expect(origin.requests.count == 1)
            #expect(harness.contents == [])
        }
    }

    @Test func `O35 X3 a redirect from https to http is refused`() async throws {
        try await withOrigin(OriginScript(body)) { plain in
            try await withEngine(OriginScript(body, always: .redirect(to: plain.url())), tls: .trusted) {
                harness, origin in
                let refused = await harness.transfer(harness.request(origin.url()))
                #expect(refused.failure?.code == .redirectRefused)
                #expect(plain.requests.isEmpty)
            }
        }
    }

    @Test func `CVE_2018_18074 CVE_2025_14524 a permitted downgrade carries no secret`() async throws {
        try await withOrigin(OriginScript(body)) { plain in
            try await withEngine(OriginScript(body, always: .redirect(to: plain.url())), tls: .trusted) {
                harness, origin in
                let request = harness.request(origin.url()) {
                    $0.transport.redirects.allowDowngrade = true
                    $0.transport.redirects.allowPrivateRedirects = true
                    $0.headers = [HeaderField(name: "Authorization", value: "Bearer token")]
                }
                try harness.expectFile(await harness.transfer(request), body)
                #expect(origin.requests.first?.value("Authorization") == "Bearer token")
                #expect(plain.requests.first?.value("Authorization") == nil)
            }
        }
    }

    @Test func `O35 X5 CVE_2022_27774 CVE_2018_1000007 no secret reaches another port`() async throws {
        let script = OriginScript(body, .on(.request(1), .cut(after: 100_000)))
        try await withOrigin(script) { foreign in
            try await withEngine(OriginScript(body, always: asking, .redirect(to: foreign.url("/x")))) {
                harness, origin in
                let request = harness.request(origin.url()) {
                    $0.headers = [
                        HeaderField(name: "Cookie", value: "a=b"), HeaderField(name: "Referer", value: "http://r/"),
                        HeaderField(name: "X-Own", value: "1"), HeaderField(name: "User-Agent", value: "me"),
                        HeaderField(name: "Accept", value: "x/y"),
                    ]
                }
                let history = await harness.transfer(request, credentials: credentials)
                try harness.expectFile(history, body)
                let answer = credentials.basicAuthorization
                #expect(origin.requests.map { $0.value("Authorization") } == [nil, answer, nil, answer])
                for request in origin.requests {
                    #expect(request.value("Cookie") == "a=b")
                    #expect(request.value("X-Own") == "1")
                }
                #expect(foreign.requests.count == 2)
                for request in foreign.requests {
                    for name in secrets { #expect(request.value(name) == nil, "\(name)") }
                    #expect(request.value("User-Agent") == "me")
                    #expect(request.value("Accept") == "x/y")
                }
                #expect(foreign.requests.last?.value("Range") == "bytes=100000-")
            }
        }
    }

    @Test func `X9 a cookie met on the way goes back to its host alone`() async throws {
        try await withOrigin(OriginScript(body)) { foreign in
            let script = OriginScript(
                body, .on(.path("/file.bin"), .redirect(to: "/two"), .field("Set-Cookie", "k=v; Path=/")),
                .on(.path("/two"), .redirect(to: foreign.url("/three", host: "localhost"))))
            try await withEngine(script) { harness, origin in
                let request = harness.request(origin.url()) { $0.transport.redirects.allowPrivateRedirects = true }
                try harness.expectFile(await harness.transfer(request), body)
                #expect(origin.requests.map { $0.value("Cookie") } == [nil, "k=v"])
                #expect(foreign.requests.first?.value("Cookie") == nil)
            }
        }
    }

    @Test func `CVE_2024_11053 X6 the userinfo of a target is not used`() async throws {
        try await withOrigin(OriginScript(body)) { foreign in
            let target = foreign.url("/x").replacing("http://", with: "http://eve:pw@")
            try await withEngine(OriginScript(body, always: .redirect(to: target))) { harness, origin in
                let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
                try harness.expectFile(history, body)
                #expect(foreign.requests.first?.value("Authorization") == nil)
                #expect((history.facts.redirects + [history.facts.finalURL ?? ""]).allSatisfy { !$0.contains("eve") })
            }
        }
    }

    @Test(arguments: ["\r\nX-Evil: 1", "%0d%0aX-Evil:%201"])
    func `CVE_2014_8150 line ends in a target add no field`(text: String) async throws {
        let script = OriginScript(body, .on(.path("/file.bin"), .redirect(to: "/x?\(text)")))
        try await withEngine(script) { harness, origin in
            _ = await harness.transfer(harness.request(origin.url()), tries: 1)
            #expect(origin.requests.allSatisfy { $0.value("X-Evil") == nil })
        }
    }

    @Test func `O36 a signed target that has expired is made anew by the original`() async throws {
        let script = OriginScript(
            body, .on(.path("/file.bin"), .signedRedirect), .on(.path("/signed/*"), .expiring(uses: 1)),
            .on(.path("/signed/1"), .cut(after: 100_000)))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body)
            #expect(origin.requests.map(\.path) == ["/file.bin", "/signed/1", "/file.bin", "/signed/2"])
            #expect(origin.requests.last?.value("Range") == "bytes=100000-")
        }
    }

    @Test func `O37 R13 a URL that works once is expired, and a new one continues`() async throws {
        let script = OriginScript(body, .on(.path("/file.bin"), .once), .on(.request(1), .cut(after: 150_000)))
        try await withEngine(script) { harness, origin in
            let expired = await harness.transfer(harness.request(origin.url()))
            #expect(expired.failure?.code == .urlExpired)
            #expect(origin.requests.count == 7)
            #expect(harness.contents == [EngineHarness.partialName])
            let history = await harness.transfer(harness.request(origin.url("/new")), from: expired.facts)
            try harness.expectFile(history, body)
            #expect(origin.requests.last?.value("Range") == "bytes=150000-")
        }
    }

    @Test func `O38 X7 Basic credentials are sent to a server that asks for them`() async throws {
        try await withEngine(OriginScript(body, always: asking)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: credentials)
            try harness.expectFile(history, body)
            #expect(origin.requests.map { $0.value("Authorization") } == [nil, credentials.basicAuthorization])
        }
    }

    @Test(arguments: [Credentials(user: "ann", password: "wrong"), nil])
    func `O38 X8 wrong credentials are no loop`(wrong: Credentials?) async throws {
        try await withEngine(OriginScript(body, always: .basic(user: "ann", password: "secret"))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()), credentials: wrong)
            #expect(history.failure?.code == .authRequired)
            #expect(origin.requests.count == (wrong == nil ? 1 : 2))
            #expect(harness.contents == [])
        }
    }
}
