public import BackgroundURLSession
public import Foundation
import Synchronization

/// What is told of the events of a manager's session and of the downloads of its chain.
///
/// A closure that is set takes the place of what the chain does itself only where it says so. All are called on the manager's
/// operation queue, and may be set at any time.
open class SessionDelegate: NSObject, @unchecked Sendable {  // SAFETY: its state is in a lock; a subclass keeps its own
    /// Gets what the app decides about a challenge.
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

    /// The manager that it belongs to.
    public var sessionManager: SessionManager? { state.withLock(\.manager) }

    public override init() { super.init() }

    func attach(_ manager: SessionManager) { state.withLock { $0.manager = manager } }

    /// The request of a task that ``Request/task`` has shown; nil for other tasks.
    open subscript(task: URLSessionTask) -> Request? {
        sessionManager?.shared.tasks.lazy.compactMap { $0.state.withLock(\.request) }.first { $0.shows(task) }
    }

    // MARK: The session

    /// Called when all events of a background session have been told, in place of the manager's completion handler.
    open var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { state.withLock(\.closures.finishedEvents) }
        set { state.withLock { $0.closures.finishedEvents = newValue } }
    }

    /// Called when the manager was invalidated.
    open var sessionDidBecomeInvalidWithError: (@Sendable (URLSession, (any Error)?) -> Void)? {
        get { state.withLock(\.closures.becameInvalid) }
        set { state.withLock { $0.closures.becameInvalid = newValue } }
    }

    /// All events of a background session have been told: calls the closure, or without one the manager's completion handler.
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

    /// Called with the file of a download, in place of its destination; the file goes when the last handler has returned.
    open var downloadTaskDidFinishDownloadingToURL: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> Void)? {
        get { state.withLock(\.closures.finished) }
        set { state.withLock { $0.closures.finished = newValue } }
    }

    /// Called when bytes have come, with their number, and those received and expected in all; at most ten times a second.
    open var downloadTaskDidWriteData: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)? {
        get { state.withLock(\.closures.wrote) }
        set { state.withLock { $0.closures.wrote = newValue } }
    }

    /// Called when a download goes on after the bytes of resume data, with their number and those expected in all.
    open var downloadTaskDidResumeAtOffset: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)? {
        get { state.withLock(\.closures.resumed) }
        set { state.withLock { $0.closures.resumed = newValue } }
    }

    /// Called with the result of a download, before the handlers of its request.
    open var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)? {
        get { state.withLock(\.closures.completed) }
        set { state.withLock { $0.closures.completed = newValue } }
    }

    /// Called with the times of a download, before its result.
    open var taskDidFinishCollectingMetrics: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics) -> Void)? {
        get { state.withLock(\.closures.metrics) }
        set { state.withLock { $0.closures.metrics = newValue } }
    }

    /// Decides what a server gets that asks for a user and a password, in place of the request's credential.
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

    /// The same with a completion, and asked first.
    open var taskDidReceiveChallengeWithCompletion:
        (@Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, @escaping ChallengeCompletion) -> Void)?
    {
        get { state.withLock(\.closures.challengedWithCompletion) }
        set { state.withLock { $0.closures.challengedWithCompletion = newValue } }
    }

    /// Lets the app decide about a challenge; false if it has no closure for that.
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
