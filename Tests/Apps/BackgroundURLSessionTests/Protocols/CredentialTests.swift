import FerryTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import FerryURLSession

private typealias URLCredentialStorage = FerryURLSession.URLCredentialStorage

@Suite(.timeLimit(.minutes(1))) struct `Stored credentials` {
    private let credential = URLCredential(user: "u", password: "secret", persistence: .forSession)

    private func space(
        host: String = "h.example", port: Int = 80, protocol name: String? = "http", realm: String? = "r",
        method: String? = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(host: host, port: port, protocol: name, realm: realm, authenticationMethod: method)
    }

    @Test func `are found by the fields of their space`() {
        let storage = URLCredentialStorage()
        storage.setDefaultCredential(credential, for: space())
        for same in [
            space(), space(host: "H.Example"), space(protocol: NSURLProtectionSpaceHTTP), space(method: nil),
        ] {
            #expect(storage.defaultCredential(for: same) == credential)
            #expect(storage.credentials(for: same) == ["u": credential])
        }
        for other in [
            space(host: "i.example"), space(port: 81), space(protocol: "https"), space(realm: "s"), space(realm: nil),
            space(method: NSURLAuthenticationMethodHTTPDigest),
            URLProtectionSpace(
                proxyHost: "h.example", port: 80, type: "http", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic),
        ] {
            #expect(storage.defaultCredential(for: other) == nil && storage.credentials(for: other) == nil)
        }
    }

    @Test func `are replaced, removed and announced`() {
        let storage = URLCredentialStorage()
        let changes = Mutex(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
        ) { _ in changes.withLock { $0 += 1 } }
        defer { NotificationCenter.default.removeObserver(observer) }
        let other = URLCredential(user: "v", password: "p", persistence: .permanent)
        storage.set(credential, for: space())
        storage.set(other, for: space())
        #expect(storage.credentials(for: space())?.keys.sorted() == ["u", "v"])
        #expect(storage.defaultCredential(for: space()) == nil)
        #expect(storage.allCredentials.count == 1)
        storage.remove(credential, for: space())
        storage.remove(credential, for: space())
        storage.remove(other, for: space())
        #expect(storage.credentials(for: space()) == nil && storage.allCredentials.isEmpty)
        #expect(changes.withLock { $0 } == 4)
    }

    @Test func `are none where they are not to last`() {
        let storage = URLCredentialStorage()
        storage.setDefaultCredential(URLCredential(user: "u", password: "p", persistence: .none), for: space())
        #expect(storage.defaultCredential(for: space()) == nil)
    }

    @Test(arguments: [true, false]) func `answer challenges of their space without a delegate`(isDefault: Bool)
        async throws
    {
        let body = SeededBody(seed: 90, size: 1000)
        let script = OriginScript(body, always: .basic(user: "u", password: "secret"))
        try await withOrigin(script) { origin in
            let url = try #require(URL(string: origin.url()))
            let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
            let asked = space(host: try #require(url.host), port: try #require(url.port), realm: "ferry")
            let storage = try #require(configuration.urlCredentialStorage)
            let session = FerryURLSession.URLSession(configuration: configuration)
            if isDefault {
                let task = session.dataTask(with: url)
                storage.setDefaultCredential(credential, for: asked, task: task)
                let found = Mutex<URLCredential?>(nil)
                storage.getDefaultCredential(for: asked, task: task) { known in found.withLock { $0 = known } }
                #expect(found.withLock { $0 } == credential)
            } else {
                storage.set(credential, for: asked)
            }
            let (data, response) = try await session.data(from: url)
            #expect((response as? HTTPURLResponse)?.statusCode == 200 && data.elementsEqual(body.bytes))
            let (file, _) = try await session.download(from: url)
            #expect(try Data(contentsOf: file).elementsEqual(body.bytes))
        }
    }

    @Test func `go with a reset of the session, as its cached responses do`() async throws {
        let configuration = FerryURLSession.URLSessionConfiguration.ephemeral
        let session = FerryURLSession.URLSession(configuration: configuration)
        configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space())
        let url = try #require(URL(string: "http://h.example/"))
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        configuration.urlCache?.storeCachedResponse(
            CachedURLResponse(response: response, data: Data()), for: URLRequest(url: url))
        await session.reset()
        #expect(configuration.urlCredentialStorage?.defaultCredential(for: space()) == nil)
        #expect(configuration.urlCache?.cachedResponse(for: URLRequest(url: url)) == nil)
    }
}
