import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Load and redirects` {
    private func script(_ status: Int, to target: String? = "/file.bin") -> OriginScript {
        OriginScript(rules: [.on(.path("/old"), .redirect(to: target, status: status))])
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (307, "POST", "POST"), (308, "POST", "POST"), (301, "PUT", "PUT"), (307, "GET", "GET"),
    ])
    func `12 the status decides over the method and the body`(status: Int, method: String, then: String) async throws {
        try await withLoads(script(status)) { harness async throws in
            let content = Data("content".utf8)
            let load = harness.load(
                "/old", method: method, body: method == "GET" || method == "HEAD" ? .none : .bytes(content)
            ) {
                $0.fields = [
                    HeaderField(name: "Content-Type", value: "text/plain"), HeaderField(name: "X", value: "y"),
                ]
            }
            let head = try await load.head()
            _ = try await load.rest()
            #expect(head.url == harness.origin.url())
            let last = try #require(harness.origin.requests.last)
            #expect(last.method == then)
            #expect(last.path == "/file.bin")
            let keeps = method == then && method != "GET" && method != "HEAD"
            #expect(last.body == (keeps ? Array(content) : []))
            #expect(last.value("X") == "y")
            #expect((last.value("Content-Type") != nil) == (method == then))
            #expect(load.exchanges.map(\.url) == [harness.origin.url("/old"), harness.origin.url()])
            #expect(load.exchanges.last?.method == then)
        }
    }

    @Test func `12 a redirect without target is the result`() async throws {
        try await withLoads(script(302, to: nil)) { harness async throws in
            #expect(try await harness.load("/old").head().status == 302)
        }
    }

    @Test(arguments: [(20, nil), (21, ErrorCode.tooManyRedirects)])
    func `11 twenty redirects are followed`(hops: Int, code: ErrorCode?) async throws {
        try await withLoads(OriginScript(rules: .redirects(hops: hops))) { harness async throws in
            #expect(await harness.load("/hop/\(hops)").failure()?.code == code)
        }
    }

    @Test func `11 a redirect to itself ends after twenty`() async throws {
        try await withLoads(script(302, to: "/old")) { harness async throws in
            #expect(await harness.load("/old").failure()?.code == .tooManyRedirects)
            #expect(harness.origin.requests.count == 21)
        }
    }

    @Test(arguments: [("ftp://127.0.0.1/x", -1002), ("http://127.0.0.1/x", -1022)])
    func `12 other schemes and plain http after https are refused`(target: String, urlError: Int) async throws {
        try await withLoads(script(302, to: target), tls: .trusted) { harness async throws in
            #expect(await harness.load("/old").failure()?.details.urlError == urlError)
        }
    }

    @Test func `13 secrets stay behind at another origin`() async throws {
        try await withLoads(OriginScript()) { harness async throws in
            let target = harness.origin.url("/elsewhere", host: "localhost")
            harness.origin.script = script(302, to: target)
            let load = harness.load("/old") {
                $0.fields = ["Authorization", "Cookie", "X-Own"].map { HeaderField(name: $0, value: "v") }
            }
            #expect(await load.failure() == nil)
            let (first, last) = (harness.origin.requests[0], harness.origin.requests[1])
            #expect(["Authorization", "Cookie", "X-Own"].map { first.value($0) } == ["v", "v", "v"])
            #expect(["Authorization", "Cookie", "X-Own"].map { last.value($0) } == [nil, nil, "v"])
        }
    }

    @Test func `41 the advisor is asked for every redirect`() async throws {
        try await withLoads(OriginScript(rules: .redirects(through: "/a", "/b", "/c"))) { harness async throws in
            let advisor = TestAdvisor()
            #expect(await harness.load("/a", advisor: advisor).failure() == nil)
            let asked = advisor.redirects
            #expect(asked.map(\.url) == [harness.origin.url("/b"), harness.origin.url("/c")])
            #expect(asked.map(\.head.status) == [302, 302])
        }
    }

    @Test func `41 a declined redirect is the result`() async throws {
        try await withLoads(script(302)) { harness async throws in
            let load = harness.load("/old", advisor: TestAdvisor(redirect: { _ in .stay }))
            #expect(try await load.head().status == 302)
            #expect(try await load.rest() == Array("Elsewhere.\n".utf8))
            #expect(harness.origin.requests.count == 1)
        }
    }

    @Test func `41 another request may be made instead`() async throws {
        try await withLoads(script(302)) { harness async throws in
            let other = harness.origin.url("/other")
            let advisor = TestAdvisor(redirect: { _ in
                .followOther(url: other, method: "GET", fields: [HeaderField(name: "Y", value: "z")])
            })
            let load = harness.load("/old", advisor: advisor)
            #expect(try await load.head().url == other)
            _ = try await load.rest()
            #expect(harness.origin.requests.last?.value("Y") == "z")
        }
    }

    @Test func `41 a redirect may be canceled`() async throws {
        try await withLoads(script(302)) { harness async throws in
            let load = harness.load("/old", advisor: TestAdvisor(redirect: { _ in .cancel }))
            #expect(await load.failure()?.code == .canceled)
        }
    }
}
