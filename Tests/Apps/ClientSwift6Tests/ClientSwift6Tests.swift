import BackgroundURLSession
import Foundation
import Testing

@Suite struct `Client code in language mode 6` {
    private let session = URLSession(configuration: .ephemeral)
    private let request = URLRequest(url: URL(fileURLWithPath: "/"))

    @Test func `the completion-handler form of a method calls its async form`() async throws {
        let delegate: any URLSessionDataDelegate = AsyncDelegate()
        let task = session.dataTask(with: request)
        let response = URLResponse(
            url: URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        let disposition = await withCheckedContinuation { continuation in
            delegate.urlSession(session, dataTask: task, didReceive: response) { continuation.resume(returning: $0) }
        }
        #expect(disposition == .becomeDownload)
        let redirect = try #require(
            HTTPURLResponse(url: URL(fileURLWithPath: "/"), statusCode: 302, httpVersion: nil, headerFields: nil))
        let next = await withCheckedContinuation { continuation in
            delegate.urlSession(session, task: task, willPerformHTTPRedirection: redirect, newRequest: request) {
                continuation.resume(returning: $0)
            }
        }
        #expect(next == nil)
        let begin = await withCheckedContinuation { continuation in
            delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { disposition, _ in
                continuation.resume(returning: disposition)
            }
        }
        #expect(begin == .cancel)
        let hasStream = await withCheckedContinuation { continuation in
            delegate.urlSession(session, task: task, needNewBodyStream: { continuation.resume(returning: $0 != nil) })
        }
        #expect(hasStream)
        let direct = await delegate.urlSession(session, needNewBodyStreamForTask: task)
        #expect(direct != nil)
        let isStored = await withCheckedContinuation { continuation in
            let proposed = CachedURLResponse(response: response, data: Data())
            delegate.urlSession(session, dataTask: task, willCacheResponse: proposed) {
                continuation.resume(returning: $0 != nil)
            }
        }
        #expect(!isStored)
        session.invalidateAndCancel()
    }

    @Test func `a URL has lines and bytes`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("one\ntwo\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let content = try await linesAndBytes(of: file)
        #expect(content.lines == ["one", "two"] && content.bytes == 8)
    }

    @Test func `a method that is missing does what Apple's URLSession does`() async {
        let delegate: any URLSessionDataDelegate = EmptyDelegate()
        let task = session.dataTask(with: request)
        let response = URLResponse(
            url: URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        let disposition = await withCheckedContinuation { continuation in
            delegate.urlSession(session, dataTask: task, didReceive: response) { continuation.resume(returning: $0) }
        }
        #expect(disposition == .allow)
        let begin = await delegate.urlSession(session, task: task, willBeginDelayedRequest: request)
        #expect(begin.0 == .continueLoading)
        #expect(begin.1 == nil)
        session.invalidateAndCancel()
    }

    @Test func `errors of both domains are distinguished`() {
        #expect(OneModule.explain(URLError(.cancelled)) == "0 nil")
        #expect(OneModule.explain(URLError(.timedOut)) == NSURLErrorDomain)
    }

    @Test func `both modules in a file name the session of this one`() {
        let session: BackgroundURLSession.URLSession = BothModules.session(EmptyDelegate())
        #expect(session.configuration.timeoutIntervalForRequest == 5)
        session.invalidateAndCancel()
    }
}
