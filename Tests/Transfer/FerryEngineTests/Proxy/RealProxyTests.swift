import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

/// Third-party proxies in their default configuration: tinyproxy, squid with TLS, and microsocks.
@Suite(.timeLimit(.minutes(2)), .enabled(if: ProxyProcess.Program.allCases.allSatisfy(\.isInstalled)))
struct `Proxies as people have them` {
    private static let body = SeededBody(seed: 12, size: 200_000)
    private static let login = Credentials(user: "me", password: "secret")

    /// Expected results of downloads from an origin without TLS and from one with TLS, through a proxy.
    struct Case: Sendable, CustomTestStringConvertible {
        let program: ProxyProcess.Program
        /// Whether the proxy requires credentials.
        let isGuarded: Bool
        let userinfo: String
        /// The final error code, or `nil` for success.
        let plain: ErrorCode?
        let secure: ErrorCode?
        let words: String

        var testDescription: String { "\(program.rawValue), \(isGuarded ? "guarded" : "open"), \(userinfo)" }

        init(
            _ program: ProxyProcess.Program, isGuarded: Bool, _ userinfo: String, _ plain: ErrorCode? = nil,
            _ secure: ErrorCode? = nil, _ words: String = ""
        ) {
            (self.program, self.isGuarded, self.userinfo) = (program, isGuarded, userinfo)
            (self.plain, self.secure, self.words) = (plain, secure, words)
        }
    }

    static let cases = [
        Case(.tinyproxy, isGuarded: false, ""), Case(.tinyproxy, isGuarded: true, "me:secret@"),
        Case(.tinyproxy, isGuarded: true, "", .proxyAuthRequired, .proxyAuthRequired, "requires a user name"),
        // Its 401 to a wrong password looks like an origin's, except for a tunnel.
        Case(.tinyproxy, isGuarded: true, "me:bad@", .authRequired, .proxyAuthRequired, "proxy"),
        // It opens tunnels to port 443 only.
        Case(.squid, isGuarded: false, "", nil, .proxyFailed, "HTTP 403"),
        Case(.squid, isGuarded: true, "me:secret@", nil, .proxyFailed, "HTTP 403"),
        Case(.squid, isGuarded: true, "", .proxyAuthRequired, .proxyAuthRequired, "requires a user name"),
        Case(.squid, isGuarded: true, "me:bad@", .proxyAuthRequired, .proxyAuthRequired, "refused the user name"),
        Case(.microsocks, isGuarded: false, ""), Case(.microsocks, isGuarded: true, "me:secret@"),
        Case(.microsocks, isGuarded: true, "", .proxyAuthRequired, .proxyAuthRequired, "requires a user name"),
        Case(.microsocks, isGuarded: true, "me:bad@", .proxyAuthRequired, .proxyAuthRequired, "refused the user name"),
    ]

    @Test(arguments: cases) func `carry files, or are named with the reason`(each: Case) async throws {
        let certificates = try await TestCertificates.make()
        defer { certificates.remove() }
        let proxy = try await ProxyProcess.start(
            each.program, credentials: each.isGuarded ? Self.login : nil,
            certificates: each.program == .squid ? certificates : nil)
        do {
            for scheme in each.program == .microsocks
                ? ["socks5", "socks5h"] : [each.program == .squid ? "https" : "http"]
            {
                let url = "\(scheme)://\(each.userinfo)127.0.0.1:\(proxy.port)"
                for (tls, code) in [(nil, each.plain), (.trusted, each.secure)] as [(TLSFault?, ErrorCode?)] {
                    try await fetch(through: url, tls, certificates, code, each.words)
                }
            }
        } catch {
            await proxy.shutdown()
            throw error
        }
        await proxy.shutdown()
    }

    private func fetch(
        through proxy: String, _ tls: TLSFault?, _ certificates: TestCertificates, _ code: ErrorCode?, _ words: String
    ) async throws {
        try await withClient(OriginScript(Self.body), tls: tls) { harness, origin in
            // The authorities of the proxy and of the origin.
            let files = [certificates.caFile, origin.caFile].compactMap(\.self)
            let history = await harness.transfer(
                harness.request(origin.url()) {
                    $0.timing.retries = 1
                    $0.transport.proxyEnvironment = ["all_proxy": proxy]
                    $0.tls.trust = RequestTrust(authorities: files)
                })
            guard let code else { return try harness.expectFile(history, Self.body) }
            #expect(history.errors.map(\.code) == [code])
            #expect(history.failure?.message.contains(words) == true, "\(history.errors)")
            #expect(history.failure?.message.contains("secret") == false)
        }
    }
}
