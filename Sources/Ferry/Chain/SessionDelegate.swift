public import BackgroundURLSession
public import Foundation
import Synchronization

/// What is told of the events of a manager's session.
open class SessionDelegate: NSObject, @unchecked Sendable {  // SAFETY: its state is in a lock; a subclass keeps its own
    private struct State {
        weak var manager: SessionManager?
        var finished: (@Sendable (URLSession) -> Void)?
    }

    private let state = Mutex(State())

    /// The manager that it belongs to.
    public var sessionManager: SessionManager? { state.withLock(\.manager) }

    /// Called when all events of a background session have been told, in place of the manager's completion handler.
    open var sessionDidFinishEventsForBackgroundURLSession: (@Sendable (URLSession) -> Void)? {
        get { state.withLock(\.finished) }
        set { state.withLock { $0.finished = newValue } }
    }

    public override init() { super.init() }

    func attach(_ manager: SessionManager) { state.withLock { $0.manager = manager } }

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
}
