import FerryTesting
import Foundation
import FoundationNetworking
import Synchronization
import Testing

@testable import FerryURLSession

private typealias URLProtocol = FerryURLSession.URLProtocol
private typealias URLSession = FerryURLSession.URLSession
private typealias URLSessionConfiguration = FerryURLSession.URLSessionConfiguration
private typealias URLSessionTask = FerryURLSession.URLSessionTask
private typealias URLSessionTaskDelegate = FerryURLSession.URLSessionTaskDelegate

@Suite(.timeLimit(.minutes(1))) struct `A redirect of a protocol class` {
    private let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Redirector.self]
        return URLSession(configuration: configuration)
    }()

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// Returns a URL that `Redirector` redirects to `target`.
    private func url(to target: URL, scheme: String = "http") throws -> URL {
        let escaped = try #require(target.absoluteString.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return try url("\(scheme)://from.invalid/?to=\(escaped)")
    }

    @Test func `leads to what a class loads, and the task shows it`() async throws {
        let target = try url("http://target.invalid/file")
        let witness = RedirectWitness(follows: true)
        let (data, response) = try await session.data(for: URLRequest(url: url(to: target)), delegate: witness)
        #expect(String(decoding: data, as: UTF8.self) == "target.invalid")
        #expect(response.url == target)
        #expect(witness.story.withLock { $0 } == ["302 to http://target.invalid/file"])
        #expect(witness.task.withLock { $0?.currentRequest?.url } == target)
    }

    @Test func `leads to a server, as data and as a file`() async throws {
        let body = SeededBody(seed: 91, size: 300_000)
        try await withOrigin(OriginScript(body)) { origin in
            let source = try url(to: url(origin.url()))
            let (data, response) = try await session.data(from: source)
            #expect(data.elementsEqual(body.bytes) && (response as? HTTPURLResponse)?.statusCode == 200)
            let (file, _) = try await session.download(from: source)
            #expect(try Data(contentsOf: file).elementsEqual(body.bytes))
        }
    }

    @Test(arguments: [true, false]) func `takes credentials to its own origin alone`(isOwn: Bool) async throws {
        try await withOrigin(OriginScript(SeededBody(seed: 93, size: 1000))) { origin in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [Redirector.self]
            configuration.httpAdditionalHeaders = ["Authorization": "Basic eDp5", "Cookie": "a=b", "X-Other": "c"]
            let session = URLSession(configuration: configuration)
            let target = try url(origin.url())
            let source = try isOwn ? url("\(target)?moved=from.invalid") : url(to: target)
            _ = try await session.data(from: source)
            let request = try #require(origin.requests.first)
            #expect(request.value("Authorization") == (isOwn ? "Basic eDp5" : nil))
            #expect(request.value("Cookie") == (isOwn ? "a=b" : nil))
            #expect(request.value("X-Other") == "c")
        }
    }

    @Test func `is the result where the delegate does not follow it`() async throws {
        let witness = RedirectWitness(follows: false)
        let source = try url(to: url("http://target.invalid/"))
        let (data, response) = try await session.data(for: URLRequest(url: source), delegate: witness)
        #expect(data.isEmpty && (response as? HTTPURLResponse)?.statusCode == 302 && response.url == source)
        let (file, _) = try await session.download(for: URLRequest(url: source), delegate: witness)
        #expect(try Data(contentsOf: file).isEmpty)
    }

    @Test func `ends a task after twenty others`() async throws {
        let error = await #expect(throws: URLError.self) { try await session.data(from: url("http://circle.invalid/")) }
        #expect(error?.code == .httpTooManyRedirects)
    }

    @Test func `leads to no file and not out of TLS where no class loads the target`() async throws {
        let cases: [(String, String, URLError.Code)] = [
            ("http", "file:///etc/hostname", .unsupportedURL), ("http", "data:,text", .unsupportedURL),
            ("https", "http://127.0.0.1:9/", .appTransportSecurityRequiresSecureConnection),
        ]
        for (scheme, target, code) in cases {
            let error = await #expect(throws: URLError.self) {
                try await session.data(from: url(to: url(target), scheme: scheme))
            }
            #expect(error?.code == code)
        }
    }

    @Test func `passes a cancellation on to what loads its target`() async throws {
        let script = OriginScript(SeededBody(seed: 92, size: 1000), always: .stall(after: 10))
        try await withOrigin(script) { origin in
            let (errors, ended) = AsyncStream.makeStream(of: (any Error)?.self)
            let download = try session.downloadTask(with: url(to: url(origin.url()))) { _, _, error in
                ended.yield(error)
            }
            download.resume()
            try await eventually("the server is asked") { origin.requests.count == 1 }
            download.cancel()
            let error = await errors.first { _ in true }
            #expect((error as? URLError)?.code == .cancelled)
        }
    }
}

/// Redirects to the URL in its query with a copy of the request, or endlessly to itself. For other URLs it responds
/// with the host name.
private final class Redirector: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.absoluteString.contains(".invalid") == true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let client else { return }
        if let target = target(of: url), let redirect = response(302, ["Location": target.absoluteString]) {
            var next = request
            next.url = target
            client.urlProtocol(self, wasRedirectedTo: next, redirectResponse: redirect)
            // Some classes fail themselves after a redirect. The task must not notice.
            client.urlProtocol(self, didFailWithError: URLError(.cancelled))
        } else if let response = response(200, [:]) {
            client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client.urlProtocol(self, didLoad: Data((url.host ?? "").utf8))
            client.urlProtocolDidFinishLoading(self)
        }
    }

    override func stopLoading() {}

    private func target(of url: URL) -> URL? {
        if url.host == "circle.invalid" { return url }
        if url.query == "moved=from.invalid" {
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
            parts?.query = nil
            return parts?.url
        }
        return URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first?.value
            .flatMap { URL(string: $0) }
    }

    private func response(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse? {
        request.url.flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        }
    }
}

/// Decides redirects and records the proposed ones.
private final class RedirectWitness: NSObject, URLSessionTaskDelegate {
    let story = Mutex<[String]>([])
    let task = Mutex<URLSessionTask?>(nil)
    private let follows: Bool

    init(follows: Bool) { self.follows = follows }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        self.task.withLock { $0 = task }
        story.withLock { $0.append("\(response.statusCode) to \(request.url?.absoluteString ?? "")") }
        completionHandler(follows ? request : nil)
    }
}
