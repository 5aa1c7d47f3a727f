import FerryCore
import FerryRules
import FerryTesting
import Foundation
import NIOHTTP1
import Testing

@testable import FerryEngine

@Suite(.timeLimit(.minutes(1))) struct `The trust of a request` {
    private let body = SeededBody(seed: 71, size: 50_000)

    private func untrusting(_ configuration: inout Engine.Configuration) {
        configuration.trust = TrustRoots(environment: [:])
    }

    @Test func `authorities are those of one request alone`() async throws {
        try await withEngine(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let own = RequestTrust(authorities: origin.caFile)
            try harness.expectFile(
                await harness.transfer(harness.request(origin.url()) { $0.tls.trust = own }), body)
            // Its connection is open but not shared.
            for trust in [nil, RequestTrust()] {
                let other = await harness.transfer(harness.request(origin.url("/other")) { $0.tls.trust = trust })
                #expect(other.failure?.code == .tlsCertificate, "\(other.errors)")
            }
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `a request without files trusts the system's roots, whatever the engine was started with`() async throws
    {
        try await withEngine(OriginScript(body), tls: .trusted) { harness, origin in
            let history = await harness.transfer(harness.request(origin.url()) { $0.tls.trust = RequestTrust() })
            #expect(history.failure?.code == .tlsCertificate, "\(history.errors)")
            try harness.expectFile(await harness.transfer(harness.request(origin.url())), body)
        }
    }

    @Test func `a file of authorities is read again when it has changed`() async throws {
        try await withEngine(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let own = harness.outside.file("ca.pem")
            let other = try await TestCertificates.make()
            defer { other.remove() }
            let place = { (file: String) in try Data(contentsOf: URL(filePath: file)).write(to: URL(filePath: own)) }
            try place(other.caFile)
            let request = harness.request(origin.url()) { $0.tls.trust = RequestTrust(authorities: own) }
            #expect(await harness.transfer(request).failure?.code == .tlsCertificate)
            try place(try #require(origin.caFile))
            try harness.expectFile(await harness.transfer(request), body)
        }
    }

    /// Copying programs restore the modification time.
    @Test func `a file of authorities is read again when another of its age takes its place`() async throws {
        try await withEngine(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let own = harness.outside.file("ca.pem")
            let other = try await TestCertificates.make()
            defer { other.remove() }
            let place = { (file: String) in
                try Data(contentsOf: URL(filePath: file)).write(to: URL(filePath: own), options: .atomic)
                let age = Date(timeIntervalSince1970: 1_700_000_000)
                try FileManager.default.setAttributes([.modificationDate: age], ofItemAtPath: own)
            }
            try place(other.caFile)
            let request = harness.request(origin.url()) { $0.tls.trust = RequestTrust(authorities: own) }
            #expect(await harness.transfer(request).failure?.code == .tlsCertificate)
            try place(try #require(origin.caFile))
            try harness.expectFile(await harness.transfer(request), body)
        }
    }

    /// Trust roots are read in advance, on a thread that may wait for the disk, and never on an event loop.
    @Test(arguments: [false, true])
    func `a connection trusts the authorities that were read, even if their file has changed since`(isFolder: Bool)
        async throws
    {
        try await withClient(OriginScript(body), tls: .trusted, configured: untrusting) { harness, origin in
            let own = harness.outside.file("ca.pem")
            if isFolder {
                try await origin.certificates?.addAuthority(toFolder: own)
            } else {
                try FileManager.default.copyItem(atPath: try #require(origin.caFile), toPath: own)
            }
            let material = try await harness.engine.material(of: RequestTrust(authorities: own))
            try FileManager.default.removeItem(atPath: own)
            var key = ConnectionKey()
            key.trust = material.home
            key.loop = harness.engine.takeLoop()
            let url = try HTTPURL(parsing: origin.url())
            let asked = ExchangeRequest(
                url: url, fields: [HeaderField(name: "Host", value: url.hostField)], key: key, timeouts: Timeouts())
            let exchange = try harness.engine.open(asked)
            #expect(try await exchange.head().status == 200)
            await exchange.close()
        }
    }

    @Test(arguments: [0, 1, 2], [true, false])
    func `each of several folders counts that is there`(place: Int, isOfEngine: Bool) async throws {
        let outside = try TemporaryFolder()
        defer { outside.remove() }
        var folders = (0..<3).map { outside.file("\($0)") }
        let variables = ["SSL_CERT_DIR": (folders + [outside.file("missing")]).joined(separator: ":")]
        try await withOrigin(OriginScript(body), tls: .trusted) { origin in
            let trust = RequestTrust(variables: variables, currentFolder: "/")
            let configured = { (configuration: inout Engine.Configuration) in
                configuration.trust = TrustRoots(environment: isOfEngine ? variables : [:])
            }
            try await origin.certificates?.addAuthority(toFolder: folders.remove(at: place))
            for folder in folders {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                try Data("no certificate".utf8).write(to: URL(filePath: folder + "/01234567.0"))
            }
            try await withEngine(configured: configured) { harness in
                let request = harness.request(origin.url()) { $0.tls.trust = isOfEngine ? nil : trust }
                try harness.expectFile(await harness.transfer(request), body)
            }
        }
    }

    @Test func `several folders none of which is there are refused by the first`() async throws {
        try await withEngine { harness in
            let trust = RequestTrust(authorities: ["/nonexistent/a", "/nonexistent/b"])
            let error = await #expect(throws: ServiceError.self) { try await harness.engine.check(trust) }
            #expect(error?.message.contains("/nonexistent/a") == true)
        }
    }

    @Test func `plain HTTP needs no files; a redirect to TLS needs them when it comes`() async throws {
        try await withEngine(OriginScript(body)) { harness, origin in
            try await withOrigin(OriginScript(body), tls: .trusted) { secure in
                var trust = RequestTrust(authorities: "/nonexistent/ca.pem")
                try harness.expectFile(
                    await harness.transfer(harness.request(origin.url()) { $0.tls.trust = trust }), body)
                origin.script = OriginScript(body, .on(.path("/away"), .redirect(to: secure.url("/b"))))
                let away = harness.request(origin.url("/away")) {
                    $0.transport.redirects.allowPrivateRedirects = true
                    $0.file.name = "b"
                }
                for file in ["/nonexistent/ca.pem", try #require(secure.caFile)] {
                    trust.authorities = [file]
                    var request = away
                    request.tls.trust = trust
                    let history = await harness.transfer(request)
                    if file == secure.caFile {
                        #expect(history.success?.path == harness.path("b"), "\(history.errors)")
                    } else {
                        #expect(history.failure?.code == .invalidRequest && history.reports.count == 1)
                        #expect(history.failure?.message.contains(file) == true, "\(history.errors)")
                        #expect(secure.requests.isEmpty)
                    }
                }
            }
        }
    }

    @Test func `a client's certificate is shown to a server that asks for it`() async throws {
        try await withEngine(OriginScript(body), tls: .asksForCertificate) { harness, origin in
            let files = try #require(origin.clientFiles)
            var trust = RequestTrust(authorities: origin.caFile)
            let without = await harness.transfer(harness.request(origin.url()) { $0.tls.trust = trust }, tries: 1)
            #expect(without.codes.count == 1 && origin.requests.isEmpty)
            trust.certificate = files.certificate
            trust.key = files.key
            try harness.expectFile(await harness.transfer(harness.request(origin.url()) { $0.tls.trust = trust }), body)
            // The connection with the verified certificate is not shared.
            trust = trust.foreign
            let again = await harness.transfer(harness.request(origin.url("/b")) { $0.tls.trust = trust }, tries: 1)
            #expect(again.codes.count == 1 && origin.requests.count == 1)
        }
    }

    @Test func `a client's certificate may have its key in its own file`() async throws {
        try await withEngine(OriginScript(body), tls: .asksForCertificate) { harness, origin in
            let files = try #require(origin.clientFiles)
            let both = harness.outside.file("both.pem")
            let contents = try [files.certificate, files.key].map { try Data(contentsOf: URL(filePath: $0)) }
            try (contents[0] + contents[1]).write(to: URL(filePath: both))
            let trust = RequestTrust(authorities: origin.caFile, certificate: both)
            try harness.expectFile(await harness.transfer(harness.request(origin.url()) { $0.tls.trust = trust }), body)
        }
    }

    @Test func `a client's certificate is not shown to another origin`() async throws {
        try await withEngine(OriginScript(body), tls: .asksForCertificate) { harness, origin in
            let files = try #require(origin.clientFiles)
            let trust = RequestTrust(authorities: origin.caFile, certificate: files.certificate, key: files.key)
            // The same server under another name is another origin.
            let other = origin.url("/file.bin", host: "127.0.0.1")
            try harness.expectFile(await harness.transfer(harness.request(other) { $0.tls.trust = trust }), body)
            origin.script = OriginScript(body, .on(.path("/away"), .redirect(to: other)))
            let request = harness.request(origin.url("/away")) {
                $0.tls.trust = trust
                $0.transport.redirects.allowPrivateRedirects = true
                $0.transport.foreignFields = .keep
            }
            let history = await harness.transfer(request, tries: 1)
            #expect(history.codes.count == 1, "\(history.end)")
            #expect(origin.requests.map(\.target) == ["/file.bin", "/away"])
        }
    }

    @Test(arguments: ["missing", "empty", "folder", "key", "pipe"])
    func `a file that cannot be used is refused by its name`(kind: String) async throws {
        try await withEngine { harness in
            let certificates = try await TestCertificates.make()
            defer { certificates.remove() }
            let path = harness.outside.file(kind)
            var trust = RequestTrust(authorities: path)
            switch kind {
            case "empty": try Data().write(to: URL(filePath: path))
            case "folder":
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                trust = RequestTrust(certificate: path)
            case "key": trust = RequestTrust(certificate: certificates.caFile, key: certificates.keyFile)
            case "pipe":
                let status = unsafe mkfifo(path, 0o600)
                #expect(status == 0)
            default: break
            }
            let named = kind == "key" ? certificates.keyFile : path
            let error = await #expect(throws: ServiceError.self) { try await harness.engine.check(trust) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains(named) == true, "\(String(describing: error))")
        }
    }

    @Test func `a file that is gone when its transfer starts ends it with its name`() async throws {
        try await withEngine(OriginScript(body), tls: .trusted) { harness, origin in
            let request = harness.request(origin.url()) {
                $0.tls.trust = RequestTrust(authorities: "/nonexistent/ca.pem")
            }
            let history = await harness.transfer(request)
            #expect(history.failure?.code == .invalidRequest && history.reports.count == 1)
            #expect(history.failure?.message.contains("/nonexistent/ca.pem") == true)
        }
    }
}
