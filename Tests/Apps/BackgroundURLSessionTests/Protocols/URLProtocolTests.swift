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

/// Registration applies to the whole process.
@Suite(.serialized, .timeLimit(.minutes(1))) struct `Protocol classes` {
    private func text(_ session: URLSession, _ address: String) async throws -> String {
        let (data, _) = try await session.data(from: try #require(URL(string: address)))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `that are registered load tasks of the shared session, the last one first`() async throws {
        URLProtocol.registerClass(Greeter.self)
        URLProtocol.registerClass(SecondGreeter.self)
        defer {
            URLProtocol.unregisterClass(Greeter.self)
            URLProtocol.unregisterClass(SecondGreeter.self)
        }
        #expect(try await text(.shared, "http://greeter.invalid/") == "SecondGreeter")
        URLProtocol.unregisterClass(SecondGreeter.self)
        #expect(try await text(.shared, "greeter://greeter.invalid/") == "Greeter")
        URLProtocol.unregisterClass(Greeter.self)
        let error = await #expect(throws: URLError.self) { try await text(.shared, "greeter://greeter.invalid/") }
        #expect(error?.code == .unsupportedURL)
    }

    @Test func `that are registered load tasks of default sessions that are made later, and of no others`() async throws
    {
        let before = URLSession(configuration: .default)
        URLProtocol.registerClass(Greeter.self)
        let after = URLSession(configuration: .default)
        let other = URLSession(configuration: .ephemeral)
        URLProtocol.unregisterClass(Greeter.self)
        #expect(try await text(after, "greeter://greeter.invalid/") == "Greeter")
        for session in [before, other] {
            await #expect(throws: URLError.self) { try await text(session, "greeter://greeter.invalid/") }
        }
        #expect(URLProtocol.registerClass(NSObject.self) == false)
    }

    @Test func `have a transaction in the task's metrics, and store what they allow`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Storing.self]
        let cache = try #require(configuration.urlCache)
        let witness = MetricsWitness()
        let session = URLSession(configuration: configuration, delegate: witness, delegateQueue: nil)
        let request = URLRequest(url: try #require(URL(string: "http://greeter.invalid/")))
        session.dataTask(with: request).resume()
        try await eventually("the metrics come") { witness.metrics != nil }
        let transaction = try #require(witness.metrics?.transactionMetrics.first)
        #expect(transaction.request.url == request.url && transaction.resourceFetchType == .networkLoad)
        #expect(transaction.fetchStartDate != nil && transaction.responseEndDate != nil)
        try await eventually("the response is stored") {
            cache.cachedResponse(for: request)?.data == Data("Storing".utf8)
        }
    }

    @Test func `see the fields that the session adds, and the task`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Added": "by the session", "X-Own": "by the session"]
        configuration.protocolClasses = [Witness.self]
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: "http://witness.invalid/")))
        request.setValue("by the request", forHTTPHeaderField: "X-Own")
        let task = session.dataTask(with: request)
        let (data, _) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "by the session, by the request, task 2")
        #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Added") == nil)
    }

    @Test func `load downloads, and end them with their own errors`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Greeter.self]
        let session = URLSession(configuration: configuration)
        let (file, _) = try await session.download(from: try #require(URL(string: "greeter://greeter.invalid/")))
        #expect(try Data(contentsOf: file) == Data("Greeter".utf8))
        let error = await #expect(throws: URLError.self) { try await text(session, "greeter://fails.invalid/") }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `that take no task leave it to the session`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Greeter.self]
        let session = URLSession(configuration: configuration)
        #expect(try await text(session, "data:,plain") == "plain")
        let error = await #expect(throws: URLError.self) { try await text(session, "unknown://h/") }
        #expect(error?.code == .unsupportedURL)
    }

    @Test func `keep properties of a request`() throws {
        let request = NSMutableURLRequest(url: try #require(URL(string: "http://h.example/")))
        URLProtocol.setProperty(true, forKey: "handled", in: request)
        #expect(URLProtocol.property(forKey: "handled", in: request as URLRequest) as? Bool == true)
        URLProtocol.removeProperty(forKey: "handled", in: request)
        #expect(URLProtocol.property(forKey: "handled", in: request as URLRequest) == nil)
    }
}

/// Responds with its own name.
private class Greeter: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host?.hasSuffix(".invalid") == true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    var text: String { "\(type(of: self))" }

    override func startLoading() {
        guard let url = request.url else { return }
        if url.host == "fails.invalid" {
            client?.urlProtocol(self, didFailWithError: URLError(.badServerResponse))
            return
        }
        let response = URLResponse(
            url: url, mimeType: "text/plain", expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

private final class SecondGreeter: Greeter {}

/// Allows its response to be stored.
private final class Storing: Greeter {
    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["X-A": "b"])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .allowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}

/// Keeps the metrics of a task.
private final class MetricsWitness: NSObject, FerryURLSession.URLSessionTaskDelegate, Sendable {
    private let kept = Mutex<FerryURLSession.URLSessionTaskMetrics?>(nil)

    var metrics: FerryURLSession.URLSessionTaskMetrics? { kept.withLock { $0 } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: FerryURLSession.URLSessionTaskMetrics
    ) {
        kept.withLock { $0 = metrics }
    }
}

/// Responds with the request that it received. Overrides the initializer, as apps do.
private final class Witness: Greeter {
    private let number: Int

    override init(
        request: URLRequest, cachedResponse: CachedURLResponse?, client: (any FerryURLSession.URLProtocolClient)?
    ) {
        number = 2
        super.init(request: request, cachedResponse: cachedResponse, client: client)
    }

    override class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest?.value(forHTTPHeaderField: "X-Added") != nil
    }

    override var text: String {
        let fields = ["X-Added", "X-Own"].map { request.value(forHTTPHeaderField: $0) ?? "" }
        return (fields + ["task \(task?.taskIdentifier == number ? 2 : 0)"]).joined(separator: ", ")
    }
}
