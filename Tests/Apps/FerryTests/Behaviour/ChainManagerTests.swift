import Ferry
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The manager of a download chain`: ChainSuite {
    private static let body = FerryFixture.body

    @Test func `a transfer of an earlier process is adopted, unfinished or finished`() async throws {
        try await withFerry(OriginScript(Self.body, .on(.path("/slow"), .hold("go", at: .body(100_000))))) { fixture in
            let first = manager(fixture)
            let slow = first.download(fixture.origin.url("/slow"), to: destination(fixture.daemon.file("no")))
            try await slow.downloadTask.receives(100_000)
            first.download(fixture.origin.url("/fast"), to: nil)
            await fixture.leave()
            try await fixture.waitForEnds(1)
            let second = manager(fixture)
            #expect(second.restoredRequests.count == 2)
            let paths = ["/slow", "/fast"].map { fixture.daemon.file(String($0.dropFirst())) }
            let requests = zip(["/slow", "/fast"], paths).map { path, target in
                second.download(fixture.origin.url(path), to: destination(target))
            }
            #expect(second.restoredRequests.isEmpty)
            fixture.origin.release("go")
            for (request, path) in zip(requests, paths) {
                #expect(try await response(request).destinationURL?.path == path)
                #expect(try FileDigest.sha256(path) == Self.body.sha256Hex)
            }
            #expect(fixture.origin.requests.count == 2)
            #expect(!FileManager.default.fileExists(atPath: fixture.daemon.file("no")))
            try await eventually("the records are gone") { try await fixture.stored() == 0 }
        }
    }

    /// docs/behaviour/session-manager.md#A4
    @Test func `the oldest of the same method and URL is adopted first, others stay restored`() async throws {
        try await withFerry { fixture in
            let url = fixture.origin.url()
            let first = manager(fixture)
            let left = [HTTPMethod.get, .post, .get].map { method in first.download(url, method: method, to: nil) }
            for request in left { try await request.downloadTask.reaches(.succeeded) }
            let ids = left.map(\.downloadTask.id)
            await fixture.leave()
            let second = manager(fixture)
            #expect(second.restoredRequests.map(\.downloadTask.id) == ids)
            let requests = [HTTPMethod.get, .put, .get].enumerated().map { index, method in
                second.download(url, method: method, to: destination(fixture.daemon.file("\(index)")))
            }
            #expect(requests[0].downloadTask.id == ids[0] && requests[2].downloadTask.id == ids[2])
            #expect(!ids.contains(requests[1].downloadTask.id))
            for request in requests { #expect(try await response(request).error == nil) }
            #expect(second.restoredRequests.map(\.downloadTask.id) == [ids[1]])
            // A restored request that the app does not repeat is used as it is.
            let rest = try #require(second.restoredRequests.first)
            let digest = Notes<String>()
            rest.response { digest.add((try? FileDigest.sha256($0.temporaryURL?.path ?? "")) ?? "none") }
            #expect(try await digest.wait(count: 1) == [Self.body.sha256Hex])
            try await eventually("nothing is left") { second.restoredRequests.isEmpty }
            #expect(fixture.origin.requests.map(\.method).sorted() == ["GET", "GET", "POST", "PUT"])
            try await eventually("the records are gone") { try await fixture.stored() == 0 }
        }
    }

    @Test func `a local manager may go, the request ends as it would`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(100_000)))) { fixture in
            let told = Notes<String>()
            let path = fixture.daemon.file("a")
            func begin() {
                manager(fixture).download(fixture.origin.url(), to: destination(path))
                    .response { told.add("\($0.destinationURL?.path ?? "none")") }
            }
            begin()
            await fixture.origin.waitForHold("go")
            fixture.origin.release("go")
            let places = try await told.wait(count: 1)
            #expect(places == [path])
        }
    }

    @Test func `the session's fields are sent where the request has none`() async throws {
        try await withFerry { fixture in
            let manager = manager(fixture) { $0.httpAdditionalHeaders = ["X-A": "session", "X-B": "session"] }
            let request = manager.download(
                fixture.origin.url(), headers: ["X-A": "request"], to: destination(fixture.daemon.file("a")))
            _ = try await response(request)
            let sent = try #require(fixture.origin.requests.first)
            #expect(sent.values("X-A") == ["request"] && sent.values("X-B") == ["session"])
            let defaults = SessionManager.defaultHTTPHeaders
            #expect(defaults["Accept-Encoding"] == "identity" && defaults["Accept-Language"] != nil)
            #expect(defaults["User-Agent"]?.isEmpty == false)
        }
    }

    @Test func `credentials do not go to another origin`() async throws {
        try await withOrigin(OriginScript(Self.body)) { other in
            try await withFerry(OriginScript(Self.body, always: .redirect(to: other.url()))) { fixture in
                let manager = manager(fixture)
                let secrets = ["Authorization": "Basic eA==", "Cookie": "a=b"]
                let headers = secrets.merging(["X-A": "kept"]) { $1 }
                let request = manager.download(
                    fixture.origin.url(), headers: headers, to: destination(fixture.daemon.file("a")))
                let result = try await response(request)
                #expect(result.error == nil)
                #expect(fixture.origin.requests.first?.value("Authorization") == "Basic eA==")
                let sent = try #require(other.requests.first)
                for name in secrets.keys { #expect(sent.value(name) == nil) }
                #expect(sent.value("X-A") == "kept")
            }
        }
    }

    @Test func `the session's limit for a host is kept`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("go", at: .body(1000)))) { fixture in
            let manager = manager(fixture) { $0.httpMaximumConnectionsPerHost = 1 }
            let requests = (0..<4).map {
                manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("\($0)")))
            }
            await fixture.origin.waitForHold("go")
            for request in requests.dropFirst() { try await request.downloadTask.waits { $0 == .host } }
            #expect(fixture.origin.requests.count == 1)
            fixture.origin.release("go")
            for request in requests {
                let result = try await response(request)
                #expect(result.error == nil)
            }
        }
    }

    @Test(arguments: [true, false])
    func `a manager of a default or ephemeral configuration needs no daemon`(isEphemeral: Bool) async throws {
        try await withFerry { fixture in
            let manager = fixture.make { SessionManager(configuration: isEphemeral ? .ephemeral : .default) }
            #expect(manager.identifier.isEmpty)
            let path = fixture.daemon.file("a")
            let request = manager.download(fixture.origin.url(), to: destination(path))
            let result = try await response(request)
            #expect(result.destinationURL?.path == path)
            #expect(try FileDigest.sha256(path) == Self.body.sha256Hex && fixture.daemon.daemons.isEmpty)
        }
    }

    @Test func `the shared manager is run by the daemon`() async throws {
        try await withFerry { fixture in
            // The only use of the shared manager in these tests. It connects to the daemon of the first such test.
            let manager = fixture.make { SessionManager.default }
            #expect(manager === SessionManager.default && manager.identifier == "SessionManager.default")
            let path = fixture.daemon.file("a")
            let result = try await response(manager.download(fixture.origin.url(), to: destination(path)))
            #expect(result.error == nil)
            #expect(!fixture.daemon.daemons.isEmpty && FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `trust policies hold per host in both kinds`(isBackground: Bool, isTrusted: Bool) async throws {
        try await withOrigin(OriginScript(Self.body), tls: .trusted) { secure in
            try await withFerry { fixture in
                let policies = ServerTrustPolicyManager(policies: [
                    "localhost": isTrusted ? .disableEvaluation : .performDefaultEvaluation(validateHost: true)
                ])
                let manager = fixture.make {
                    SessionManager(
                        configuration: isBackground ? .background(withIdentifier: fixture.identifier) : .default,
                        serverTrustPolicyManager: policies)
                }
                let request = manager.download(secure.url(), to: destination(fixture.daemon.file("a")))
                let result = try await response(request)
                guard !isTrusted else {
                    #expect(result.error == nil && result.destinationURL != nil)
                    return
                }
                let error = try #require(result.error as? URLError)
                #expect((-1206 ... -1200).contains(error.code.rawValue), "\(error)")
            }
        }
    }

    /// A regression: a manager ignored the TLS versions of its configuration.
    @Test(arguments: [true, false], [true, false])
    func `the TLS versions of a configuration are honored in both kinds`(
        isBackground: Bool, demandsTLS13: Bool
    ) async throws {
        try await withOrigin(OriginScript(Self.body), tls: .withoutTLS13) { secure in
            try await withFerry { fixture in
                let configuration =
                    isBackground
                    ? URLSessionConfiguration.background(withIdentifier: fixture.identifier) : .default
                if demandsTLS13 { configuration.tlsMinimumSupportedProtocolVersion = .TLSv13 }
                configuration.timeoutIntervalForResource = 5
                let policies = ServerTrustPolicyManager(policies: ["localhost": .disableEvaluation])
                let manager = fixture.make {
                    SessionManager(configuration: configuration, serverTrustPolicyManager: policies)
                }
                #expect(
                    manager.session.configuration.tlsMinimumSupportedProtocolVersion
                        == configuration.tlsMinimumSupportedProtocolVersion)
                let request = manager.download(secure.url(), to: destination(fixture.daemon.file("a")))
                let result = try await response(request)
                #expect((result.error == nil) == !demandsTLS13, "\(String(describing: result.error))")
                #expect(secure.requests.count == (demandsTLS13 ? 0 : 1))
            }
        }
    }

    /// A regression: a manager ignored the proxies of its configuration.
    @Test(arguments: [true, false])
    func `the proxies of a configuration are used in both kinds`(isBackground: Bool) async throws {
        let proxy = try await ScriptedProxy.start()
        try await withFerry { fixture in
            let configuration =
                isBackground ? URLSessionConfiguration.background(withIdentifier: fixture.identifier) : .default
            configuration.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": proxy.port,
            ]
            let manager = fixture.make { SessionManager(configuration: configuration) }
            // Later changes do not affect the manager, as in a session.
            configuration.connectionProxyDictionary = nil
            let request = manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            let result = try await response(request)
            #expect(result.error == nil)
            #expect(proxy.heads.count == 1)
        }
        await proxy.shutdown()
    }

    @Test func `the delegate's closure takes the place of the completion handler`() async throws {
        try await withFerry(OriginScript(Self.body, always: .hold("never", at: .head))) { fixture in
            let manager = manager(fixture)
            #expect(manager.delegate.sessionManager === manager)
            // Unfinished, so that the events do not finish by themselves.
            manager.download(fixture.origin.url(), to: destination(fixture.daemon.file("a")))
            let told = Notes<String>()
            manager.delegate.sessionDidFinishEventsForBackgroundURLSession = { _ in told.add("closure") }
            manager.backgroundCompletionHandler = { told.add("handler") }
            manager.delegate.urlSessionDidFinishEvents(forBackgroundURLSession: manager.session)
            try await told.wait(for: "closure")
            try await answer { manager.start("unknown", handler: $0) }
            #expect(told.all == ["closure"])
        }
    }
}
