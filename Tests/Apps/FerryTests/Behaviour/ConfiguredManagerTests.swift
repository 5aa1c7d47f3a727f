import Ferry
import FerryTesting
import Foundation
import Testing

/// The end of a download by a manager's own call, or by the chain.
private enum Call: String, CaseIterable, Sendable {
    case task, chain
}

@Suite(.timeLimit(.minutes(2))) struct `The configuration of a manager`: ChainSuite {
    private static let host = "127.0.0.1"

    /// Downloads, and returns the error.
    private func error(_ call: Call, _ manager: SessionManager, _ url: String) async throws -> (any Error)? {
        switch call {
        case .chain: return try await response(manager.download(url, to: nil)).error
        case .task:
            let task = try #require(manager.download(url))
            try await eventually("the task ends") { task.status == .succeeded || task.status == .failed }
            return task.error
        }
    }

    private func succeed(_ call: Call, _ manager: SessionManager, _ url: String) async throws {
        let failure = try await error(call, manager, url)
        #expect(failure == nil)
    }

    private func manager(_ fixture: FerryFixture, _ configuration: URLSessionConfiguration) -> SessionManager {
        let trust = ServerTrustPolicyManager(policies: ["localhost": .disableEvaluation])
        let manager = fixture.make {
            SessionManager(configuration: configuration, serverTrustPolicyManager: trust)
        }
        manager.logger.option = .none
        return manager
    }

    @Test(arguments: Call.allCases, [false, true])
    private func `decides about TLS, in the daemon and in the process`(call: Call, isInDaemon: Bool) async throws {
        try await withOrigin(OriginScript(FerryFixture.body), tls: .withoutTLS13) { origin in
            try await withFerry { fixture in
                let configuration =
                    isInDaemon ? URLSessionConfiguration.background(withIdentifier: fixture.identifier) : .ephemeral
                try await succeed(call, manager(fixture, configuration), origin.url())
                configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
                let strict = manager(fixture, configuration)
                // One connection for each address of a host.
                let refusal = try await error(call, strict, origin.url("/other"))
                #expect(refusal != nil)
                #expect(origin.requests.count == 1)
            }
        }
    }

    @Test(arguments: Call.allCases)
    private func `decides about proxies`(call: Call) async throws {
        try await withFerry { fixture in
            let configuration = URLSessionConfiguration.background(withIdentifier: fixture.identifier)
            configuration.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": Self.host, "HTTPPort": fixture.origin.port,
            ]
            try await succeed(call, manager(fixture, configuration), "http://far.invalid/file")
            #expect(fixture.origin.requests.first?.value("Host") == "far.invalid")
        }
    }

    @Test(arguments: Call.allCases)
    private func `gives cookies of its storage to downloads, and the daemon's to later ones of a chain`(
        call: Call
    ) async throws {
        let script = OriginScript(FerryFixture.body, always: .field("Set-Cookie", "met=2; Path=/"))
        try await withFerry(script) { fixture in
            let configuration = URLSessionConfiguration.background(withIdentifier: fixture.identifier)
            configuration.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
            let cookie = HTTPCookie(properties: [.name: "own", .value: "1", .domain: Self.host, .path: "/"])
            configuration.httpCookieStorage?.setCookie(try #require(cookie))
            let manager = manager(fixture, configuration)
            try await succeed(call, manager, fixture.origin.url("/1"))
            try await succeed(call, manager, fixture.origin.url("/2"))
            let cookies = fixture.origin.requests.map { Set(($0.value("Cookie") ?? "").split(separator: "; ")) }
            #expect(cookies == [["own=1"], call == .chain ? ["own=1", "met=2"] : ["own=1"]])
            configuration.httpShouldSetCookies = false
            try await succeed(call, self.manager(fixture, configuration), fixture.origin.url("/3"))
            #expect(fixture.origin.requests.last?.value("Cookie") == nil)
        }
    }

    @Test(arguments: Call.allCases)
    private func `gives stored credentials to servers that ask for them`(call: Call) async throws {
        let script = OriginScript(FerryFixture.body, always: .basic(user: "me", password: "secret"))
        try await withFerry(script) { fixture in
            let configuration = URLSessionConfiguration.background(withIdentifier: fixture.identifier)
            configuration.urlCredentialStorage = URLSessionConfiguration.ephemeral.urlCredentialStorage
            let space = URLProtectionSpace(
                host: Self.host, port: fixture.origin.port, protocol: "http", realm: "origin",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            configuration.urlCredentialStorage?.set(
                URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
            try await succeed(call, manager(fixture, configuration), fixture.origin.url("/1"))
            let requests = fixture.origin.requests
            #expect(requests.first?.value("Authorization") == nil && requests.last?.value("Authorization") != nil)
        }
    }

    @Test func `a resource timeout of 0 is none`() async throws {
        try await withFerry { fixture in
            let manager = fixture.manager { $0.timeoutIntervalForResource = 0 }
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
        }
    }

    @Test func `K7 an empty file that has arrived is 1 of 1`() async throws {
        try await withFerry(OriginScript(SeededBody(seed: 1, size: 0))) { fixture in
            let manager = fixture.manager()
            let task = try #require(manager.download(fixture.origin.url()))
            try await task.reaches(.succeeded)
            #expect(task.progress.totalUnitCount == 1 && task.progress.fractionCompleted == 1)
            #expect(manager.progress.fractionCompleted == 1)
        }
    }

    @Test func `a cached response is no download`() async throws {
        try await withFerry { fixture in
            var request = URLRequest(url: try #require(URL(string: fixture.origin.url())))
            request.cachePolicy = .returnCacheDataDontLoad
            let configuration = URLSessionConfiguration.background(withIdentifier: fixture.identifier)
            let result = try await response(manager(fixture, configuration).download(request, to: nil))
            #expect((result.error as? URLError)?.code == .resourceUnavailable)
            configuration.requestCachePolicy = .returnCacheDataDontLoad
            let task = try #require(self.manager(fixture, configuration).download(fixture.origin.url()))
            #expect(task.status == .failed)
            #expect(fixture.origin.requests.isEmpty)
        }
    }
}
