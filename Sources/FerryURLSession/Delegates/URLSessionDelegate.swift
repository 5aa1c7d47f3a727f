// Ferry: FerryURLSession
// What a session tells its delegate.

public import Foundation
public import FoundationNetworking

/// What a session tells its delegate; called on the session's delegate queue. All methods have defaults.
@preconcurrency public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    /// The session's last call; nil if it was invalidated on purpose.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A server shows its certificates, or wants one.
    ///
    /// - Parameter completionHandler: to be called with the answer, on any thread.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The same, answered by the result.
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// All events that waited for a background session have been delivered.
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
