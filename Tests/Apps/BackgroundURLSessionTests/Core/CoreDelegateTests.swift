import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct CoreDelegateTests {
    /// Handles connection-level challenges in the session's delegate.
    private final class TrustingSession: NSObject, URLSessionTaskDelegate, Sendable {
        let asked = Mutex<[String]>([])

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            asked.withLock { $0.append("session") }
            return (.useCredential, nil)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            asked.withLock { $0.append("task") }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }

    /// Implements the task-level method only.
    private final class AnsweringTask: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.rejectProtectionSpace, nil) }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest
        ) async -> URLRequest? { nil }
    }

    /// Implements nothing.
    private final class Silent: NSObject, URLSessionDataDelegate, Sendable {}

    private final class Sender: NSObject, URLAuthenticationChallengeSender, Sendable {
        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
        func cancel(_ challenge: URLAuthenticationChallenge) {}
        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
    }

    private func challenge(_ method: String) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: URLProtectionSpace(
                host: "example.org", port: 443, protocol: "https", realm: nil, authenticationMethod: method),
            proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: Sender())
    }

    @Test func `24 server trust goes to the session's method, the rest to the task's`() async throws {
        let delegate = TrustingSession()
        let bed = try CoreBed(sessionDelegate: delegate)
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        for method in [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate] {
            #expect(await transport.relay.challenge(challenge(method)).0 == .useCredential)
        }
        #expect(
            await transport.relay.challenge(challenge(NSURLAuthenticationMethodHTTPBasic)).0
                == .cancelAuthenticationChallenge)
        #expect(delegate.asked.withLock { $0 } == ["session", "session", "task"])
    }

    @Test func `24 server trust goes to the task's method if the session's is not implemented`() async throws {
        let bed = try CoreBed(sessionDelegate: AnsweringTask())
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        #expect(
            await transport.relay.challenge(challenge(NSURLAuthenticationMethodServerTrust)).0
                == .rejectProtectionSpace)
    }

    @Test func `24 nobody answers: everything is handled by default`() async throws {
        let bed = try CoreBed(sessionDelegate: Silent())
        let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
        let trust = challenge(NSURLAuthenticationMethodServerTrust)
        #expect(await transport.relay.challenge(trust).0 == .performDefaultHandling)
        #expect(await transport.relay.response(bed.response) == .allow)
        #expect(await transport.relay.needBodyStream() == nil)
        #expect(await transport.relay.willBegin(bed.request).0 == .continueLoading)
        await transport.relay.complete(nil, metrics: [])
    }

    @Test func `41 nil makes the redirect the result, and without the method it is followed`() async throws {
        let answers: [(any URLSessionDelegate, Bool)] = [(AnsweringTask(), false), (Silent(), true)]
        for (delegate, follows) in answers {
            let bed = try CoreBed(sessionDelegate: delegate)
            let (_, transport) = try bed.running(bed.session.dataTask(with: bed.url))
            let head = try #require(
                HTTPURLResponse(url: bed.url, statusCode: 302, httpVersion: nil, headerFields: nil))
            let next = await transport.relay.willRedirect(head, to: bed.request)
            #expect((next != nil) == follows)
        }
    }

    @Test func `42 what the task delegate lacks goes to the session's, and it is released at the end`() async throws {
        let bed = try CoreBed()
        let task = bed.session.dataTask(with: bed.url)
        weak var released: AnsweringTask?
        do {
            let delegate = AnsweringTask()
            released = delegate
            task.delegate = delegate
        }
        #expect(released != nil)
        task.resume()
        let relay = try bed.transport(task).relay
        #expect(
            await relay.challenge(challenge(NSURLAuthenticationMethodHTTPBasic)).0 == .rejectProtectionSpace)
        await relay.data(Data(count: 2))
        await relay.complete(nil, metrics: [])
        #expect(bed.recorder.calls == ["created", "data 2", "metrics", "completed 0"])
        #expect(task.delegate == nil)
        try await eventually { released == nil }
    }
}
