import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

/// A data host that redirects strangers to a login host, which sets a cookie for their common domain and redirects back.
@Suite(.timeLimit(.minutes(1))) struct `A file behind a login host` {
    private let body = SeededBody(seed: 92, size: 300_000)
    private let login = GivenLogin(host: "login.earth.test", user: "ann", password: "secret")
    private static let basic = #"Basic realm="Earth""#

    /// The login host asks for a password, or shows a page without one.
    private enum Asking { case challenge, page }

    private func withLogin(
        _ asking: Asking = .challenge, cut: Int64? = nil,
        _ check: (EngineHarness, ScriptedOrigin) async throws -> Void
    ) async throws {
        let names = ScriptedNames([
            "data.earth.test": .success(["127.0.0.1"]), "login.earth.test": .success(["127.0.0.1"]),
        ])
        defer { names.release() }
        try await withEngine(
            OriginScript(body),
            configured: { configuration in
                configuration.lookup = names.lookup
                configuration.suffixes = PublicSuffixes { PublicSuffixList("test\n") }
            }
        ) { harness, origin in
            let stranger = OriginCondition.path("/authorize").and(.not(.has("Authorization")))
            var rules: [OriginRule] = [
                .on(
                    .path("/file.bin").and(.not(.has("Cookie"))),
                    .redirect(to: origin.url("/authorize", host: "login.earth.test"))),
                asking == .challenge
                    ? .on(stranger, .status(401), .field("WWW-Authenticate", Self.basic))
                    : .on(stranger, .contentType("text/html")),
                .on(
                    .path("/authorize").and(.has("Authorization")),
                    .redirect(to: origin.url("/file.bin", host: "data.earth.test")),
                    .field("Set-Cookie", "token=1; Domain=.earth.test; Path=/")),
            ]
            if let cut { rules.append(.on(.path("/file.bin").and(.has("Cookie")).and(.unranged), .cut(after: cut))) }
            origin.script = OriginScript(body, rules: rules)
            try await check(harness, origin)
        }
    }

    private func request(_ harness: EngineHarness, _ origin: ScriptedOrigin) -> TransferRequest {
        harness.request(origin.url("/file.bin", host: "data.earth.test")) { $0.login.logins = [login] }
    }

    @Test func `X6 is fetched with a login for the login host`() async throws {
        try await withLogin { harness, origin in
            try harness.expectFile(await harness.transfer(request(harness, origin), tries: 1), body)
            #expect(origin.requests.map(\.path) == ["/file.bin", "/authorize", "/authorize", "/file.bin"])
            #expect(origin.requests.compactMap { $0.value("Cookie") } == ["token=1"])
            #expect(origin.requests.filter { $0.value("Authorization") != nil }.map(\.path) == ["/authorize"])
        }
    }

    @Test func `X6 is resumed when the login has expired`() async throws {
        try await withLogin(cut: 150_000) { harness, origin in
            try harness.expectFile(await harness.transfer(request(harness, origin), tries: 2), body)
            #expect(origin.requests.last?.value("Range") == "bytes=150000-")
            #expect(harness.writtenBytes == body.size, "No byte was fetched twice.")
        }
    }

    @Test func `X7 without a login for that host the error names it`() async throws {
        try await withLogin { harness, origin in
            let plain = harness.request(origin.url("/file.bin", host: "data.earth.test"))
            let none = await harness.transfer(plain, tries: 1)
            #expect(none.failure?.code == .authRequired)
            #expect(none.failure?.message.contains("login.earth.test to ~/.netrc") == true)
            let other = await harness.transfer(plain, tries: 1, credentials: Credentials(user: "u", password: "p"))
            #expect(other.failure?.message.contains("the password is for data.earth.test and was not sent") == true)
            #expect(origin.requests.allSatisfy { $0.value("Authorization") == nil })
        }
    }

    @Test func `a login page is not silently the file`() async throws {
        try await withLogin(.page) { harness, origin in
            let history = await harness.transfer(request(harness, origin), tries: 1)
            #expect(history.success != nil && history.facts.notes.contains(TransferNotes.webPage))
        }
    }

    @Test(arguments: [
        ("data.zip", "text/html; charset=utf-8", false, true), ("data.zip", "application/xhtml+xml", false, true),
        ("index.html", "text/html", true, false), ("data.zip", "application/zip", false, false),
        ("download", "text/html", false, false), ("download", "text/html", true, true),
        ("Node.js", "text/html", false, false), ("README.md", "text/html", false, false),
        ("data.he5", "text/html", false, true), ("x.unknown", "text/html", true, true),
        ("get.php", "text/html", false, false), ("v1.2", "text/html", false, false), ("data.zip", nil, false, false),
    ])
    func `a web page is unexpected for a name that is none`(
        name: String, type: String?, hasLogin: Bool, isUnexpected: Bool
    ) throws {
        let fields = type.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []
        let origin = Origin(scheme: "http", host: "h", port: 80)
        let head = ResponseHead(status: 200, fields: fields, url: "http://h/", origin: origin)
        #expect(WebPageRule.isUnexpected(head, name: name, hasLogin: hasLogin) == isUnexpected)
    }
}
