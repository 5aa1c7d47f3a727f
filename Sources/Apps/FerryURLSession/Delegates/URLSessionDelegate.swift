public import Foundation
public import FoundationNetworking

/// The delegate of a session. Called on the session's delegate queue. All methods have default implementations.
@preconcurrency public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session is invalid. This is its last call. The error is nil if the app invalidated the session.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A server presents its certificates, or requires a client certificate.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - challenge: The challenge.
    ///   - completionHandler: Call it with the disposition and credential, on any thread.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The `async` form of the method above.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// All pending events of a background session have been delivered.
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)
}

extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        DelegateProbe.markMissing()
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        AsyncForm.answer(completionHandler) { await self.urlSession(session, didReceive: challenge) }
    }

    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        DelegateProbe.markMissing()
        return (.performDefaultHandling, nil)
    }

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { DelegateProbe.markMissing() }
}

/// The delegate of download tasks. Called on the session's delegate queue.
@preconcurrency public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The download has finished. Move or read the file before this method returns. It is removed afterwards.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

    /// Data was received. Called at most ten times per second and task. The expected total is -1 while unknown.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// The task resumes at an offset, or restarts from byte 0.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) { DelegateProbe.markMissing() }

    public func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { DelegateProbe.markMissing() }
}

/// The delegate of data and upload tasks. Called on the session's delegate queue. All methods have default
/// implementations.
@preconcurrency public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    /// The response's head was received. No data is delivered before this method is answered.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition

    /// The data task has become a download task, as the response disposition requested.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

    /// A part of the body was received. The next part is delivered after this method returns.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

    /// A response is about to be stored in the session's `URLCache`. The response passed to the handler is stored in
    /// its place; with nil, none is stored.
    ///
    /// Not called for tasks with a completion handler, for responses that may not be stored (RFC 9111 §3), or for
    /// responses larger than a twentieth of the cache.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        AsyncForm.answer(completionHandler) {
            await self.urlSession(session, dataTask: dataTask, didReceive: response)
        }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        DelegateProbe.markMissing()
        return .allow
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) { DelegateProbe.markMissing() }

    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        DelegateProbe.markMissing()
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        let proposed = UnsafeTransfer(proposedResponse)
        AsyncForm.answer(completionHandler) {
            await self.urlSession(session, dataTask: dataTask, willCacheResponse: proposed.value)
        }
    }

    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
    ) async -> CachedURLResponse? {
        DelegateProbe.markMissing()
        return proposedResponse
    }
}
