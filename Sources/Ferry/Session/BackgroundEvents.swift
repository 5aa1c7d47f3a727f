import FerryClient
import FerryURLSession
import Foundation
import Synchronization

/// The call to handle a session's events that an app gets, and the completion handler that it is given with it
/// (docs/behaviour/session-manager.md#P8).
final class BackgroundEvents: EventHandling {
    private struct State {
        weak var session: ManagedSession?
        var completion = BackgroundCompletion()
    }

    private let state = Mutex(State())

    /// Handles the events of a session, from before it is attached.
    func open(for session: ManagedSession) {
        state.withLock { $0.session = session }
        if session.place.isDaemon { BackgroundSessions.shared.add(self, session.place.identifier) }
    }

    private var session: ManagedSession? { state.withLock { $0.session } }

    /// What the app's delegate was given; called once, on the main queue, when all events have been told.
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
                // Where a closure takes the handler's place, it is called for events alone.
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

    /// The daemon has said which tasks there are.
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

    /// Ends a call to handle events once all of them have been told.
    private func endCall() {
        if state.withLock({ $0.completion.beginEnd() }) { finishEvents { self.complete() } }
    }

    /// Waits until everything was told, and says so.
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

    /// Tells the delegate that all events have been told, which calls the completion handler unless the app overrides that.
    private func complete() {
        guard let session, let manager = session.manager else { return callCompletionHandler() }
        session.deliveries.add(.main) {
            guard self.state.withLock(\.completion.isDue) else { return }
            manager.delegate.urlSessionDidFinishEvents(forBackgroundURLSession: manager.session)
        }
    }

    /// The app's own closure answers for the completion handler.
    func leaveCompletionHandler() { state.withLock { $0.completion.leave() } }

    /// Calls the completion handler once all events have been told; one that is set later is called then.
    func callCompletionHandler() {
        session?.deliveries.add(.main) {
            let handler = self.state.withLock { $0.completion.takeDueHandler() }
            handler?()
        }
    }
}

/// The completion handler that the app's delegate was given for a session's events: called once, when all have been told.
struct BackgroundCompletion {
    enum Next {
        case none
        /// The handler is called when all events have been told, which may be the case already.
        case callWhenDue
        /// The daemon has not called the app: all has been told once the session is quiet.
        case awaitEvents
    }

    private(set) var handler: (@Sendable () -> Void)?
    /// Whether the daemon has said which tasks there are.
    private var isListed = false
    /// Whether the app was called to handle events and not all have been told.
    private var isCalled = false
    /// Whether a wait for the last of them is under way.
    private var isUnderWay = false
    /// Whether all have been told and the handler was not called.
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

    /// Whether the wait for the last event begins.
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

/// A closure on its way to the main queue, where apps have it from.
private struct HandlerBox: @unchecked Sendable {  // SAFETY: called on the main queue alone, once
    let handler: () -> Void
}
