import BackgroundURLSession
import Foundation

/// A delegate in language mode 6 that implements the async forms.
final class AsyncDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.cancelAuthenticationChallenge, nil) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
    ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) { (.cancel, nil) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest? { nil }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) { (.rejectProtectionSpace, nil) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition { .becomeDownload }

    func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
        InputStream(data: Data("body".utf8))
    }

    func urlSession(
        _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
    ) async -> InputStream? { nil }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? { nil }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {}
}

/// Isolated to the main actor, as view models are.
@MainActor final class MainActorDelegate: NSObject, URLSessionTaskDelegate {
    nonisolated func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}
}

/// Implements nothing.
final class EmptyDelegate: NSObject, URLSessionDataDelegate {}

/// Receives the waiting reasons of tasks.
final class WaitingDelegate: NSObject, FerryTaskDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didChangeWaitingReason reason: WaitingReason?) {
        switch reason {
        case .retry(let date, let code): print(date, code)
        case .earliestBeginDate(let date), .relaunchDelay(until: let date): print(date)
        default: break
        }
    }
}
