import FerryClient
import FerryURLSession
import Foundation
import Synchronization

/// Delivery of a background session's events and of the completion handler that the app gets with them
/// (docs/behaviour/session-manager.md#P8).
final class BackgroundEvents: EventHandling {
    private struct State {
        weak var session: ManagedSession?
        var completion = BackgroundCompletion()
    }

    private let state = Mutex(State())

    /// Starts handling a session's events, before it is attached.
    func open(for session: ManagedSession) {
        state.withLock { $0.session = session }
        if session.place.isDaemon { BackgroundSessions.shared.add(self, session.place.identifier) }
    }

    private var session: ManagedSession? { state.withLock { $0.session } }

    /// The app's completion handler. Called once, on the main queue, when all events were delivered.
    var completionHandler: (() -> Void)? {
        get {
            guard let handler = state.withLock({ $0.completion.handler }) else { return nil }
            return { handler() }
        }
        set {
            let handler = newValue.map { handler -> @Sendable () -> Void in
                let box = HandlerBox(handler: handler)
                return { box.handler() }
            }
            switch state.withLock({ $0.completion.set(handler) }) {
            case .none: return
            case .callWhenDue: return callCompletionHandler()
            case .awaitEvents: break
            }
            finishEvents {
                // A closure of the delegate that replaces the handler is called only after events.
                let delegate = self.session?.manager?.delegate
                let isReplaced = delegate?.sessionDidFinishEventsForBackgroundURLSession != nil
                if isReplaced { self.leaveCompletionHandler() } else { self.callCompletionHandler() }
            }
        }
    }

    func calledToHandleEvents() {
        state.withLock { $0.completion.called() }
        endCall()
    }

    /// Records that the daemon has listed the tasks.
    func listed() {
        state.withLock { $0.completion.listed() }
        if session?.place.isLaunchedForThis == true {
            Task(name: "events of a launch") { await EventGate.shared.pass() }
        }
        endCall()
    }

    func waitUntilQuiet() async {
        guard let session else { return }
        await session.settled()
        await session.attached.caughtUp()
        await session.attached.acknowledge()
    }

    /// Finishes handling events once all of them were delivered.
    private func endCall() {
        if state.withLock({ $0.completion.beginEnd() }) { finishEvents { self.complete() } }
    }

    /// Waits until everything was delivered, and reports it to the daemon.
    private func finishEvents(then: @escaping @Sendable () -> Void) {
        Task(name: "events of the app", executorPreference: BlockingExecutor.shared) {
            await EventGate.shared.pass()
            if let session = self.session {
                await session.settled()
                await session.attached.caughtUp()
                await session.deliveries.waitUntilQuiet()
            }
            self.state.withLock { $0.completion.eventsAreOver() }
            then()
        }
    }

    /// Notifies the delegate that all events were delivered, which calls the completion handler unless the app
    /// overrides that.
    private func complete() {
        guard let session, let manager = session.manager else { return callCompletionHandler() }
        session.deliveries.add(.main) {
            guard self.state.withLock(\.completion.isDue) else { return }
            manager.delegate.urlSessionDidFinishEvents(forBackgroundURLSession: manager.session)
        }
    }

    /// Leaves the completion handler to the app's own closure.
    func leaveCompletionHandler() { state.withLock { $0.completion.leave() } }

    /// Calls the completion handler once all events were delivered. A handler set later is called then.
    func callCompletionHandler() {
        session?.deliveries.add(.main) {
            let handler = self.state.withLock { $0.completion.takeDueHandler() }
            handler?()
        }
    }
}

/// The completion handler for a session's events: called once, when all were delivered.
struct BackgroundCompletion {
    enum Next {
        case none
        /// The handler is called when all events were delivered, which may already be the case.
        case callWhenDue
        /// The daemon has not asked the app to handle events: all are delivered once the session is idle.
        case awaitEvents
    }

    private(set) var handler: (@Sendable () -> Void)?
    /// Whether the daemon has listed the tasks.
    private var isListed = false
    /// Whether the app was asked to handle events and not all were delivered.
    private var isCalled = false
    /// Whether the wait for the last event is in progress.
    private var isUnderWay = false
    /// Whether all events were delivered and the handler was not called.
    private(set) var isDue = false

    mutating func set(_ handler: (@Sendable () -> Void)?) -> Next {
        self.handler = handler
        guard handler != nil else { return .none }
        if isDue || isCalled || isUnderWay { return .callWhenDue }
        isUnderWay = true
        return .awaitEvents
    }

    mutating func listed() { isListed = true }

    mutating func called() {
        isCalled = true
        isDue = false
    }

    /// Begins to wait for the last event. Returns whether it does.
    mutating func beginEnd() -> Bool {
        guard isCalled, isListed else { return false }
        isCalled = false
        isUnderWay = true
        return true
    }

    mutating func eventsAreOver() {
        isUnderWay = false
        isDue = true
    }

    mutating func leave() { isDue = false }

    mutating func takeDueHandler() -> (@Sendable () -> Void)? {
        guard isDue, let handler else { return nil }
        isDue = false
        self.handler = nil
        return handler
    }
}

/// Passes a closure back to the main queue, from which the app set it.
private struct HandlerBox: @unchecked Sendable {  // SAFETY: called on the main queue alone, once
    let handler: () -> Void
}
