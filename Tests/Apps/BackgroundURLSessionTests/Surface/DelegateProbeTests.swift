@testable import FerryURLSession
import Foundation
import Testing

@Suite struct `Missing delegate methods` {
    private let session = URLSession(configuration: .ephemeral)
    private let url = URL(fileURLWithPath: "/")

    @Test func `a default implementation is recognised, an own one is not`() {
        let (empty, own) = (EmptyDelegate(), OwnDelegate())
        let task = session.dataTask(with: url)
        #expect(!DelegateProbe.call { empty.urlSession(session, task: task, didCompleteWithError: nil) })
        #expect(DelegateProbe.call { own.urlSession(session, task: task, didCompleteWithError: nil) })
        #expect(!DelegateProbe.call { own.urlSession(session, didCreateTask: task) })
    }

    @Test func `every method without an async form has a default that says so`() throws {
        let delegate = EmptyDelegate()
        let task = session.dataTask(with: url)
        let download = session.downloadTask(with: url)
        let metrics = URLSessionTaskMetrics([], interval: DateInterval())
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 103, httpVersion: nil, headerFields: nil))
        let calls: [() -> Void] = [
            { delegate.urlSession(session, didBecomeInvalidWithError: nil) },
            { delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session) },
            { delegate.urlSession(session, didCreateTask: task) },
            { delegate.urlSession(session, taskIsWaitingForConnectivity: task) },
            {
                delegate.urlSession(
                    session, task: task, didSendBodyData: 0, totalBytesSent: 0, totalBytesExpectedToSend: 0)
            },
            { delegate.urlSession(session, task: task, didReceiveInformationalResponse: response) },
            { delegate.urlSession(session, task: task, didFinishCollecting: metrics) },
            { delegate.urlSession(session, task: task, didCompleteWithError: nil) },
            { delegate.urlSession(session, dataTask: task, didBecome: download) },
            { delegate.urlSession(session, dataTask: task, didReceive: Data()) },
            {
                delegate.urlSession(
                    session, downloadTask: download, didWriteData: 0, totalBytesWritten: 0,
                    totalBytesExpectedToWrite: 0)
            },
            { delegate.urlSession(session, downloadTask: download, didResumeAtOffset: 0, expectedTotalBytes: 0) },
            { delegate.urlSession(session, task: task, didChangeWaitingReason: nil) },
        ]
        for (index, call) in calls.enumerated() { #expect(!DelegateProbe.call(call), "method \(index)") }
    }

    @Test func `24 a missing async method is known when its default handling arrives`() async {
        let task = session.dataTask(with: url)
        let (disposition, isMissing) = await answer(of: EmptyDelegate(), task)
        #expect(disposition == .performDefaultHandling)
        #expect(isMissing)
    }

    @Test func `a missing method with an async form is known when its answer arrives`() async {
        let delegate: any URLSessionDataDelegate = EmptyDelegate()
        let task = session.dataTask(with: url)
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        let cached = CachedURLResponse(response: response, data: Data("a".utf8))
        let calls: [(@escaping @Sendable (Bool) -> Void) -> Void] = [
            { done in delegate.urlSession(session, task: task, needNewBodyStream: { done($0 == nil) }) },
            { done in delegate.urlSession(session, task: task, needNewBodyStreamFrom: 0) { done($0 == nil) } },
            { done in
                delegate.urlSession(session, dataTask: task, willCacheResponse: cached) {
                    done($0?.data == cached.data)
                }
            },
        ]
        for call in calls {
            let probe = ImplementationProbe()
            let isUsual = await withCheckedContinuation { continuation in
                DelegateProbe.$current.withValue(probe) { call { continuation.resume(returning: $0) } }
            }
            #expect(isUsual && probe.isMissing)
        }
    }

    @Test func `24 an async form of the delegate's own is not missing`() async {
        let task = session.dataTask(with: url)
        let (disposition, isMissing) = await answer(of: OwnDelegate(), task)
        #expect(disposition == .cancelAuthenticationChallenge)
        #expect(!isMissing)
    }

    @Test func `a handler form of the delegate's own is not missing`() async {
        let task = session.dataTask(with: url)
        let (disposition, isMissing) = await answer(of: HandlerDelegate(), task)
        #expect(disposition == .rejectProtectionSpace)
        #expect(!isMissing)
    }

    @Test func `a call outside of a probe does nothing but the default`() {
        let task = session.dataTask(with: url)
        EmptyDelegate().urlSession(session, task: task, didCompleteWithError: nil)
        #expect(DelegateProbe.current == nil)
    }

    private func answer(
        of delegate: any URLSessionTaskDelegate, _ task: URLSessionTask
    ) async -> (URLSession.AuthChallengeDisposition, Bool) {
        let probe = ImplementationProbe()
        let disposition = await withCheckedContinuation { continuation in
            DelegateProbe.$current.withValue(probe) {
                delegate.urlSession(session, task: task, didReceive: .sample()) { disposition, _ in
                    continuation.resume(returning: disposition)
                }
            }
        }
        return (disposition, probe.isMissing)
    }
}

private final class EmptyDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, FerryTaskDelegate {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

private final class OwnDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.cancelAuthenticationChallenge, nil) }
}

private final class HandlerDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { completionHandler(.rejectProtectionSpace, nil) }
}

private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

extension URLAuthenticationChallenge {
    fileprivate static func sample() -> URLAuthenticationChallenge {
        let space = URLProtectionSpace(
            host: "a", port: 80, protocol: "http", realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        return URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: ChallengeSender())
    }
}
