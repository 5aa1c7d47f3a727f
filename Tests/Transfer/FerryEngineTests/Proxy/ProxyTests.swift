import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

private let body = SeededBody(seed: 11, size: 300_000)
private let login = Credentials(user: "me", password: "secret")

/// Runs a transfer through the proxy in its request.
private func withProxy(
    _ answer: ScriptedProxy.Answer = .tunnel, kind: ScriptedProxy.Kind = .http, scheme: String = "http",
    wants credentials: Credentials? = nil, userinfo: String = "", certificates: TestCertificates? = nil,
    tls: TLSFault? = nil, noProxy: String? = nil, host: String? = nil,
    request change: @escaping (inout TransferRequest) -> Void = { _ in },
    configured: (inout Engine.Configuration) -> Void = { _ in },
    _ check: (EngineHarness, ScriptedOrigin, ScriptedProxy, History) async throws -> Void
) async throws {
    let proxy = try await ScriptedProxy.start(
        answer, kind: kind, credentials: credentials, certificates: certificates)
    do {
        try await withEngine(OriginScript(body), tls: tls, configured: configured) { harness, origin in
            var environment = ["all_proxy": "\(scheme)://\(userinfo)127.0.0.1:\(proxy.port)"]
            environment["no_proxy"] = noProxy
            let url = host.map { origin.url(host: $0) } ?? origin.url()
            let history = await harness.transfer(
                harness.request(url) {
                    $0.timing.retries = 0
                    $0.transport.proxyEnvironment = environment
                    $0.headers = [HeaderField(name: "Authorization", value: "Bearer token")]
                    change(&$0)
                })
            try await check(harness, origin, proxy, history)
        }
    } catch {
        await proxy.shutdown()
        throw error
    }
    await proxy.shutdown()
}

@Suite(.timeLimit(.minutes(1))) struct `An HTTP proxy` {
    @Test func `Q12 CVE_2015_3153 opens a tunnel to a secure origin, and each side gets its own credentials`()
        async throws
    {
        try await withProxy(wants: login, userinfo: "me:secret@", tls: .trusted) { harness, origin, proxy, history in
            try harness.expectFile(history, body)
            let head = try #require(proxy.heads.first)
            #expect(head.hasPrefix("CONNECT "))
            #expect(!head.contains("Bearer"))
            let request = try #require(origin.requests.first)
            #expect(request.value("Authorization") == "Bearer token")
            #expect(request.value("Proxy-Authorization") == nil)
        }
    }

    /// It looks names up itself, so only addresses in URLs can be judged.
    @Test func `is not asked for an address outside the transfer's scope`() async throws {
        try await withProxy(request: { $0.transport.addressScope = .global }) { _, origin, proxy, history in
            #expect(history.errors.map(\.code) == [.connectFailed])
            #expect(proxy.heads.isEmpty && origin.requests.isEmpty)
        }
        // This one is given addresses only.
        let names = ScriptedNames(["inside.test": .success(["127.0.0.1"])])
        defer { names.release() }
        try await withProxy(
            kind: .socks, scheme: "socks5", host: "inside.test", request: { $0.transport.addressScope = .global },
            configured: { $0.lookup = names.lookup }
        ) { _, origin, _, history in
            #expect(history.errors.map(\.code) == [.connectFailed] && origin.requests.isEmpty)
            #expect(history.errors.first?.message.contains("address_scope") == true)
        }
    }

    /// In their default configuration, proxies open tunnels to port 443 only.
    @Test func `Q12 is sent requests to an origin without TLS, with the whole URL`() async throws {
        try await withProxy(wants: login, userinfo: "me:secret@") { harness, origin, proxy, history in
            try harness.expectFile(history, body)
            let head = try #require(proxy.heads.first)
            #expect(head.hasPrefix("GET \(origin.url()) HTTP/1.1\r\n"))
            #expect(head.contains("Host: 127.0.0.1:\(origin.port)\r\n"))
            let request = try #require(origin.requests.first)
            #expect(request.value("Authorization") == "Bearer token")
            #expect(request.value("Proxy-Authorization") == nil)
        }
    }

    @Test(arguments: [nil, TLSFault.trusted] as [TLSFault?])
    func `fetches a file over several connections`(tls: TLSFault?) async throws {
        let large = SeededBody(seed: 3, size: 9 << 20)
        let proxy = try await ScriptedProxy.start()
        try await withEngine(OriginScript(large), tls: tls) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url()) {
                    $0.transport.connections = 4
                    $0.transport.proxyEnvironment = ["all_proxy": "http://127.0.0.1:\(proxy.port)"]
                })
            try harness.expectFile(history, large)
            #expect(origin.requests.count >= 4)
            #expect(proxy.heads.count >= 4)
        }
        await proxy.shutdown()
    }

    @Test(arguments: [(407, ErrorCode.proxyAuthRequired), (403, .proxyFailed), (502, .proxyFailed)])
    func `Q12 that opens no tunnel is distinguished from an origin that refuses`(status: Int, code: ErrorCode)
        async throws
    {
        try await withProxy(.refuse(status), tls: .trusted) { harness, origin, proxy, history in
            let error = try #require(history.failure)
            #expect(error.code == code)
            #expect(error.message.contains("The proxy http://127.0.0.1:\(proxy.port) "))
            #expect(status == 407 || error.message.contains("HTTP \(status)"))
            #expect(origin.requests.isEmpty)
            #expect(harness.contents == [])
        }
    }

    /// In its default configuration, a proxy permits tunnels to port 443 only. Retrying does not help.
    @Test(arguments: [(403, 1), (502, 3)])
    func `Q12 that does not permit a connection is asked once`(status: Int, attempts: Int) async throws {
        try await withProxy(.refuse(status), tls: .trusted, request: { $0.timing.retries = 2 }) { _, _, _, history in
            #expect(history.errors.count == attempts)
        }
    }

    @Test(arguments: [
        ("", "requires a user name and password"), ("me:wrong@", "refused the user name or the password"),
    ])
    func `Q12 that wants other credentials is asked once`(userinfo: String, words: String) async throws {
        for tls in [nil, TLSFault.trusted] as [TLSFault?] {
            try await withProxy(wants: login, userinfo: userinfo, tls: tls, request: { $0.timing.retries = 5 }) {
                _, origin, proxy, history in
                #expect(history.errors.map(\.code) == [.proxyAuthRequired])
                #expect(history.failure?.message.contains(words) == true, "\(history.errors)")
                #expect(history.failure?.message.contains("wrong") == false)
                #expect(proxy.heads.count == 1)
                #expect(origin.requests.isEmpty)
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "*", "other.example,127.0.0.1"])
    func `Q11 is left out for the hosts of no_proxy`(noProxy: String) async throws {
        try await withProxy(noProxy: noProxy) { harness, _, proxy, history in
            try harness.expectFile(history, body)
            #expect(proxy.heads.isEmpty)
        }
    }

    /// The proxy's own response is indistinguishable from one of the origin.
    @Test func `is named with what an origin without TLS answers`() async throws {
        let proxy = try await ScriptedProxy.start()
        try await withEngine(OriginScript(body, always: .status(404))) { harness, origin in
            let history = await harness.transfer(
                harness.request(origin.url()) {
                    $0.transport.proxyEnvironment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
                })
            #expect(history.failure?.code == .notFound)
            #expect(history.failure?.message.contains("through the proxy http://127.0.0.1:\(proxy.port).") == true)
        }
        await proxy.shutdown()
    }

    /// A broken connection to the proxy is not the origin's failure, and must leave the HTTP client intact.
    @Test(
        arguments: [.close, .reset, .bytes("hello\r\n"), .bytes("HTTP/1.1 200 OK\r\n\r\nmore")]
            as [ScriptedProxy.Answer],
        [ScriptedProxy.Kind.http, .socks])
    func `that breaks off while a tunnel is opened is named`(
        answer: ScriptedProxy.Answer, kind: ScriptedProxy.Kind
    ) async throws {
        let scheme = kind == .http ? "http" : "socks5h"
        try await withProxy(answer, kind: kind, scheme: scheme, tls: .trusted) { harness, origin, proxy, history in
            let error = try #require(history.failure)
            #expect(error.code == .proxyFailed, "\(error)")
            #expect(error.message.hasPrefix("The proxy \(scheme)://127.0.0.1:\(proxy.port) "))
            #expect(origin.requests.isEmpty)
            // The engine still works.
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test(arguments: [ScriptedProxy.Kind.http, .socks])
    func `that stays silent is given up in the time for connecting`(kind: ScriptedProxy.Kind) async throws {
        let scheme = kind == .http ? "http" : "socks5h"
        try await withProxy(
            .silence, kind: kind, scheme: scheme, tls: .trusted, configured: { $0.timeouts.connect = 0.2 }
        ) { _, origin, proxy, history in
            #expect(history.failure?.code == .timedOut)
            #expect(history.failure?.message.contains("\(scheme)://127.0.0.1:\(proxy.port)") == true)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: ["http", "https", "socks5", "socks5h"])
    func `that is not there is named, and not the origin`(scheme: String) async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            let proxy = try await ScriptedProxy.start()
            let port = proxy.port
            await proxy.shutdown()
            let history = await harness.transfer(
                harness.request(origin.url()) {
                    $0.timing.retries = 0
                    $0.transport.proxyEnvironment = ["all_proxy": "\(scheme)://127.0.0.1:\(port)"]
                })
            #expect(history.failure?.code == .proxyFailed)
            #expect(history.failure?.message == "The proxy \(scheme)://127.0.0.1:\(port) refused the connection.")
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A proxy with TLS` {
    @Test(arguments: [nil, TLSFault.trusted] as [TLSFault?])
    func `carries origins with and without TLS of their own`(tls: TLSFault?) async throws {
        let certificates = try await TestCertificates.make()
        defer { certificates.remove() }
        // Two authorities: the proxy's, and the origin's, which is left unverified by `insecure`.
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": certificates.caFile])
        try await withProxy(
            scheme: "https", wants: login, userinfo: "me:secret@", certificates: certificates, tls: tls,
            request: { $0.tls.insecure = true }, configured: { $0.trust = trust }
        ) { harness, origin, proxy, history in
            try harness.expectFile(history, body)
            #expect(proxy.heads.first?.hasPrefix(tls == nil ? "GET http://" : "CONNECT ") == true)
            #expect(origin.requests.first?.value("Proxy-Authorization") == nil)
        }
    }

    /// With `--cacert`, a command can name an authority even if its URLs do not use TLS.
    @Test func `is verified by the authorities of the request`() async throws {
        let certificates = try await TestCertificates.make()
        defer { certificates.remove() }
        try await withProxy(
            scheme: "https", certificates: certificates,
            request: { $0.tls.trust = RequestTrust(authorities: certificates.caFile) }
        ) { harness, _, proxy, history in
            try harness.expectFile(history, body)
            #expect(proxy.heads.count == 1)
        }
    }

    /// The proxy receives the user's password, so no option for origins disables its verification.
    @Test func `is verified even where the origin is not`() async throws {
        let certificates = try await TestCertificates.make()
        defer { certificates.remove() }
        try await withProxy(
            scheme: "https", wants: login, userinfo: "me:secret@", certificates: certificates,
            request: { $0.tls.insecure = true }
        ) { _, origin, proxy, history in
            #expect(history.failure?.code == .tlsCertificate)
            #expect(history.failure?.message.contains("the proxy https://127.0.0.1:") == true)
            #expect(proxy.heads.isEmpty)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `must be the one that its URL names`() async throws {
        let certificates = try await TestCertificates.make(for: .otherHost)
        defer { certificates.remove() }
        let trust = TrustRoots(environment: ["SSL_CERT_FILE": certificates.caFile])
        try await withProxy(scheme: "https", certificates: certificates, configured: { $0.trust = trust }) {
            _, _, proxy, history in
            #expect(history.failure?.code == .tlsCertificate)
            #expect(proxy.heads.isEmpty)
        }
    }

    @Test func `is distinguished from one without TLS`() async throws {
        try await withProxy(scheme: "https") { _, origin, _, history in
            #expect(history.failure?.code == .tlsFailed, "\(history.errors)")
            #expect(history.failure?.message.contains("the proxy https://127.0.0.1:") == true)
            #expect(origin.requests.isEmpty)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `A SOCKS proxy` {
    @Test(arguments: ["socks5", "socks5h"], [nil, TLSFault.trusted] as [TLSFault?])
    func `carries origins with and without TLS, with and without a password`(
        scheme: String, tls: TLSFault?
    ) async throws {
        for (wanted, userinfo) in [(nil, ""), (login, "me:secret@"), (nil, "me:secret@")] {
            try await withProxy(kind: .socks, scheme: scheme, wants: wanted, userinfo: userinfo, tls: tls) {
                harness, origin, proxy, history in
                try harness.expectFile(history, body)
                #expect(proxy.heads.count == 1 && proxy.heads[0].hasSuffix(":\(origin.port)"))
                #expect(origin.requests.first?.value("Proxy-Authorization") == nil)
            }
        }
    }

    @Test(arguments: [("socks5", "127.0.0.1"), ("socks5h", "localhost")])
    func `is given an address or the name, by its scheme`(scheme: String, asked: String) async throws {
        try await withProxy(kind: .socks, scheme: scheme, host: "localhost") { harness, origin, proxy, history in
            try harness.expectFile(history, body)
            let host = try #require(proxy.heads.first?.prefix { $0 != ":" })
            // localhost may resolve to ::1 first.
            #expect(String(host) == asked || (scheme == "socks5" && proxy.heads[0].hasPrefix("::1:")))
        }
    }

    @Test(arguments: ["", "me:wrong@", "me@"]) func `that wants other credentials is asked once`(
        userinfo: String
    ) async throws {
        try await withProxy(
            kind: .socks, scheme: "socks5h", wants: login, userinfo: userinfo, request: { $0.timing.retries = 5 }
        ) { _, origin, proxy, history in
            #expect(history.errors.map(\.code) == [.proxyAuthRequired])
            #expect(history.failure?.message.contains("socks5h://127.0.0.1:\(proxy.port)") == true)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [(1, "could not connect to"), (2, "does not permit"), (4, "cannot reach"), (5, "was refused")])
    func `that cannot connect says why`(code: Int, words: String) async throws {
        try await withProxy(.refuse(code), kind: .socks, scheme: "socks5h") { _, _, _, history in
            #expect(history.failure?.code == .proxyFailed)
            #expect(history.failure?.message.contains(words) == true)
        }
    }

    @Test func `is given no name that has no address here`() async throws {
        try await withProxy(kind: .socks, scheme: "socks5", host: "nowhere.invalid") { _, _, proxy, history in
            #expect(history.failure?.code == .hostNotFound)
            #expect(history.failure?.message.contains("nowhere.invalid") == true)
            #expect(proxy.heads.isEmpty)
        }
    }
}
