public import BackgroundURLSession
public import Foundation
import Synchronization

/// Handles the events of a manager's session and of its chain downloads.
///
/// A closure replaces the default behavior only where its documentation says so. All are called on the manager's
/// operation queue, and may be set at any time.
open class SessionDelegate: NSObject, @unchecked Sendable {  // SAFETY: its state is in a lock; a subclass keeps its own
    /// Called with the app's decision about a challenge.
    public typealias ChallengeCompletion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    private struct State {
        weak var manager: SessionManager?
        var closures = Closures()
    }

    private struct Closures {
        var finishedEvents: (@Sendable (URLSession) -> Void)?
        var becameInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?
        var finished: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> Void)?
        var wrote: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var resumed: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
        var completed: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?
        var metrics: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void)?
        var challenged:
            (
                @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge) -> (
                    URLSession.AuthChallengeDisposition, URLCredential?
                )
            )?
        var challengedWithCompletion:
            (@Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping ChallengeCompletion) -> Void)?
    }

    private let state = Mutex(State())

    /// The delegate's manager.
    public var sessionManager: SessionManager? { state.withLock(\.manager) }

    public override init() { super.init() }

    func attach(_ manager: SessionManager) { state.withLock { $0.manager = manager } }

    /// Returns the request of a task that ``Request/task`` has returned, or nil for other tasks.
    open subscript(task: URLSessionTask) -> Request? {
        sessionManager?.shared.tasks.lazy.compactMap { $0.state.withLock(\.request) }.first { $0.shows(task) }
    }

    // MARK: The session

    /// Called when all events of a background session were delivered, instead of the manager's completion handler.
    open var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { state.withLock(\.closures.finishedEvents) }
        set { state.withLock { $0.closures.finishedEvents = newValue } }
    }

    /// Called when the manager was invalidated.
    open var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)? {
        get { state.withLock(\.closures.becameInvalid) }
        set { state.withLock { $0.closures.becameInvalid = newValue } }
    }

    /// Called when all events of a background session were delivered. Calls the closure, or without one the manager's
    /// completion handler.
    open func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let events = sessionManager?.shared.events
        if let finished = sessionDidFinishEventsForBackgroundURLSession {
            events?.leaveCompletionHandler()
            finished(session)
        } else {
            events?.callCompletionHandler()
        }
    }

    // MARK: Downloads

    /// Called with the file of a download, instead of its destination. The file is deleted when the last handler has
    /// returned.
    open var downloadTaskDidFinishDownloadingToURL: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> Void)? {
        get { state.withLock(\.closures.finished) }
        set { state.withLock { $0.closures.finished = newValue } }
    }

    /// Called when bytes have arrived, with their number and the received and expected totals. At most ten times a
    /// second.
    open var downloadTaskDidWriteData: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)? {
        get { state.withLock(\.closures.wrote) }
        set { state.withLock { $0.closures.wrote = newValue } }
    }

    /// Called when a download resumes, with the offset and the expected total.
    open var downloadTaskDidResumeAtOffset: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)? {
        get { state.withLock(\.closures.resumed) }
        set { state.withLock { $0.closures.resumed = newValue } }
    }

    /// Called with the result of a download, before the handlers of its request.
    open var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)? {
        get { state.withLock(\.closures.completed) }
        set { state.withLock { $0.closures.completed = newValue } }
    }

    /// Called with the metrics of a download, before its result.
    open var taskDidFinishCollectingMetrics: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void)? {
        get { state.withLock(\.closures.metrics) }
        set { state.withLock { $0.closures.metrics = newValue } }
    }

    /// Decides about an authentication challenge, instead of the request's credential.
    open var taskDidReceiveChallenge:
        (
            @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge) -> (
                URLSession.AuthChallengeDisposition, URLCredential?
            )
        )?
    {
        get { state.withLock(\.closures.challenged) }
        set { state.withLock { $0.closures.challenged = newValue } }
    }

    /// Decides about an authentication challenge with a completion. Takes precedence.
    open var taskDidReceiveChallengeWithCompletion:
        (@Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping ChallengeCompletion) -> Void)?
    {
        get { state.withLock(\.closures.challengedWithCompletion) }
        set { state.withLock { $0.closures.challengedWithCompletion = newValue } }
    }

    /// Asks the app's closure about a challenge. Returns false if there is none.
    func decide(
        _ session: URLSession, _ task: URLSessionTask, _ challenge: URLAuthenticationChallenge,
        _ completion: @escaping ChallengeCompletion
    ) -> Bool {
        let closures = state.withLock(\.closures)
        if let decide = closures.challengedWithCompletion {
            decide(session, task, challenge, completion)
        } else if let decide = closures.challenged {
            let (disposition, credential) = decide(session, task, challenge)
            completion(disposition, credential)
        } else {
            return false
        }
        return true
    }
}
