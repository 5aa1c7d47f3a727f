import FerryCore
import FerryRules
import FerryTesting
import Testing

@testable import FerryEngine

/// Foundation's URL has an empty path if the decoded path is not valid UTF-8. A request built from it would fetch the
/// home page.
@Suite(.timeLimit(.minutes(1))) struct `Request targets` {
    private let body = SeededBody(seed: 71, size: 100_000)
    private static let targets = [
        "/dir/%D6%D0%CE%C4.zip", "/caf%E9.pdf?q=%FF&x", "/a//b;p=1/%2f?", "/%7e/%c3%a9?a=b?c",
    ]

    @Test(arguments: targets, [nil, .trusted] as [TLSFault?])
    func `a URL is asked for byte for byte`(target: String, tls: TLSFault?) async throws {
        try await withEngine(OriginScript(body), tls: tls) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url(target)) { $0.file.name = "file.bin" })
            try harness.expectFile(history, body)
            #expect(origin.requests.map(\.target) == [target])
        }
    }

    @Test(arguments: targets) func `a redirect is followed byte for byte`(target: String) async throws {
        try await withEngine(OriginScript(body, .on(.request(1), .redirect(to: target)))) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.map(\.target) == ["/file.bin", target])
        }
    }

    @Test func `raw bytes in a Location are asked for as they came`() async throws {
        let answer =
            Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9]
            + Array(" 1.bin\r\nContent-Length: 0\r\n\r\n".utf8)
        try await withEngine(OriginScript(body, .on(.request(1), .raw(answer)))) { harness, origin in
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
            #expect(origin.requests.map(\.target) == ["/file.bin", "/caf%E9%201.bin"])
        }
    }

    @Test(arguments: targets) func `each part is asked for byte for byte, from mirrors too`(target: String) async throws
    {
        let body = SeededBody(seed: 72, size: 8 << 20)
        try await withOrigin(OriginScript(body)) { mirror in
            let script = OriginScript(body, .on(.request(1), .hold("first", at: .body(65_536))))
            try await withEngine(script) { harness, origin in
                let request = harness.request(origin.url(target)) {
                    $0.file.name = "file.bin"
                    $0.transport.connections = 4
                    $0.mirrors = [mirror.url(target)]
                    $0.response.checksums = [body.checksum(.sha256)]
                }
                async let transferred = harness.transfer(request)
                await mirror.waitForRequests(1)
                origin.release("first")
                try harness.expectFile(await transferred, body)
                #expect(Set((origin.requests + mirror.requests).map(\.target)) == [target])
            }
        }
    }

    @Test func `connections that were opened early ask byte for byte`() async throws {
        let body = SeededBody(seed: 73, size: 8 << 20)
        let target = Self.targets[0]
        let script = OriginScript(body, .on(.request(1), .hold("head", at: .head)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url(target)) {
                $0.file.name = "file.bin"
                $0.transport.connections = 3
            }
            async let transferred = harness.transfer(request)
            await origin.wait { $0.openConnections == 3 }
            origin.release("head")
            try harness.expectFile(await transferred, body)
            #expect(Set(origin.requests.map(\.target)) == [target])
        }
    }

    @Test(arguments: targets) func `a proxy tunnels it byte for byte`(target: String) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let proxy = try await ScriptedProxy.start()
            let request = harness.request(origin.url(target)) {
                $0.file.name = "file.bin"
                $0.transport.proxyEnvironment = ["all_proxy": "http://127.0.0.1:\(proxy.port)/proxy"]
            }
            try harness.expectFile(await harness.transfer(request), body)
            #expect(origin.requests.map(\.target) == [target])
            #expect(proxy.heads.count == 1)
            await proxy.shutdown()
        }
    }

    @Test(arguments: targets, [nil, .trusted] as [TLSFault?])
    func `a load asks byte for byte, with an advisor for its trust too`(target: String, tls: TLSFault?) async throws {
        try await withLoads(OriginScript(body), tls: tls) { harness async throws in
            let load = harness.load(target, advisor: TestAdvisor())
            #expect(try await load.head().status == 200)
            #expect(try await load.rest() == body.bytes)
            #expect(harness.origin.requests.map(\.target) == [target])
        }
    }

    @Test(arguments: targets) func `the proof of a Digest is about the same target`(target: String) async throws {
        let script = OriginScript(
            body,
            .on(.not(.has("Authorization")), .status(401), .field("WWW-Authenticate", #"Digest realm="r", nonce="n""#)))
        try await withEngine(script) { harness, origin in
            let request = harness.request(origin.url(target)) { $0.file.name = "file.bin" }
            let history = await harness.transfer(request, credentials: Credentials(user: "ann", password: "p"))
            try harness.expectFile(history, body)
            let sent = try #require(origin.requests.last?.value("Authorization"))
            #expect(AuthenticationOffer.all(in: [sent]).first?.parameters["uri"] == target)
        }
    }

    /// The system's resolver accepts a zone name only for link-local addresses.
    @Test func `the zone of an address that needs none is not used to connect`() throws {
        #expect("[::1%25lo]".literalAddress == "::1")
        #expect("[fe80::1%25lo]".literalAddress == "fe80::1%lo")
        #expect("127.0.0.1".literalAddress == "127.0.0.1")
        #expect("host.example".literalAddress == nil)
    }
}
