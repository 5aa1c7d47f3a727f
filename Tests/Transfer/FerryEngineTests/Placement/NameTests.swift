import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Names from servers` {
    private let body = SeededBody(seed: 95, size: 10_000)

    @Test(
        arguments: [
            ("attachment; filename=\"a.txt\"", "a.txt"), ("inline; filename=a.txt", "a.txt"),
            ("attachment; filename=\"x\"; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            // CVE-2010-3842, CVE-2016-0754, wget2 a06d3d9a
            ("attachment; filename=\"..\\\\..\\\\x\"", "x"), ("attachment; filename=\"x:ads\"", "x_ads"),
            ("attachment; filename=\"/abs\"", "abs"), ("attachment; filename=\"a/../b\"", "b"),
            ("attachment; filename=\"..\"", "file.bin"), ("attachment; filename=\"a/..\"", "file.bin"),
            ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=\".\"", "file.bin"),
            ("attachment; filename=\"\"", "file.bin"), ("attachment", "file.bin"),
            ("attachment; filename=\".bashrc\"", "bashrc"), ("attachment; filename=\"-rf\"", "_-rf"),
            ("attachment; filename*=UTF-8''a%0Ab%00c", "a_b_c"), ("attachment; filename=\"CON.txt\"", "_CON.txt"),
            ("attachment; filename*=UTF-8''%2e%2e%2fx", "x"), ("attachment; filename=\"%2e%2e%2fx\"", "%2e%2e%2fx"),
            ("attachment; filename=\"a.desktop\"", "a.desktop"),
        ])
    func `O42 F2 F3 CVE_2010_3842 CVE_2016_0754 a hostile name stays one name in the folder`(
        disposition: String, name: String
    ) async throws {
        try await withEngine(OriginScript(body, always: .disposition(disposition))) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, body, name: name)
            #expect(harness.outside.contents == ["in"])
            #expect(try harness.mode(name).map { $0 & 0o111 } == 0)
            let isMarked = history.facts.notes.contains { $0.contains("desktop") }
            #expect(isMarked == name.hasSuffix(".desktop"))
        }
    }

    @Test(arguments: ["a", "ä", "𝄞"])
    func `O42 CVE_2025_69195 a name of ten thousand bytes is cut on a character boundary`(
        character: String
    ) async throws {
        let long = String(repeating: character, count: 10_000 / character.utf8.count) + ".tar.gz"
        let encoded = long.utf8.map { "%" + String($0, radix: 16) }.joined()
        let script = OriginScript(body, always: .disposition("attachment; filename*=UTF-8''\(encoded)"))
        try await withEngine(script) { harness, origin in
            let success = try #require(await harness.transfer(harness.request(origin.url())).success)
            let name = (success.path as NSString).lastPathComponent
            #expect(name.utf8.count <= 255)
            #expect(name.hasSuffix(".tar.gz"))
            #expect(harness.contents == [name])
        }
    }

    @Test(
        arguments: [
            ("/a/%2e%2e%2fetc%2fx", "x"), ("/a/%5c..%5cx", "x"), ("/a/..%2f..%2fx", "x"), ("/", "download"),
            ("/a/%2e%2e", "download"), ("/a%0ab", "a_b"), ("/x%00y", "x_y"), ("/%FF", "_"),
            ("/a/b.txt?x=/../c", "b.txt"),
        ])
    func `F1 CVE_2025_11563 a URL's name stays one name in the folder`(path: String, name: String) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url(path)))
            try harness.expectFile(history, body, name: name)
            #expect(harness.outside.contents == ["in"])
        }
    }

    @Test(arguments: [(NameSource.original, "file.bin"), (.final, "other.bin")])
    func `F1 CVE_2010_2252 CVE_2016_4971 a redirect chooses the name only when asked to`(
        source: NameSource, name: String
    ) async throws {
        let script = OriginScript(body, rules: .redirects(through: "/file.bin", "/other.bin"))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.file.nameFrom = source })
            try harness.expectFile(history, body, name: name)
        }
    }

    @Test func `F1 the caller's name wins, and its folders are made`() async throws {
        try await withEngine(OriginScript(body, always: .disposition("attachment; filename=x"))) { harness, origin in
            let success = try #require(
                await harness.transfer(harness.request(origin.url()) { $0.file.name = "sub/deep/mine.txt" }).success)
            #expect(success.path == harness.path("sub/deep/mine.txt"))
            #expect(try sha256(success.path) == body.sha256Hex)
        }
    }

    @Test func `F1 the name is fixed at the first accepted head`() async throws {
        let script = OriginScript(
            SeededBody(seed: 95, size: 300_000),
            .on(.request(1), .cut(after: 100_000), .disposition("a; filename=one")),
            .on(.request(2), .disposition("a; filename=two")))
        try await withEngine(script) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()))
            try harness.expectFile(history, script.body, name: "one")
        }
    }

    @Test func `F11 CVE_2018_20483 the origin attribute has no userinfo and no query`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let request = harness.request(origin.url("/file.bin?token=secret#part")) { $0.file.originAttribute = true }
            let history = await harness.transfer(request, credentials: Credentials(user: "ann", password: "pw"))
            try harness.expectFile(history, body)
            #expect(try harness.extendedAttributes("file.bin") == ["user.xdg.origin.url": origin.url("/file.bin")])
        }
    }
}
