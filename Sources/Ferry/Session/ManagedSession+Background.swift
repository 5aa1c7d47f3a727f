import FerryClient
import FerryURLSession
import Foundation
import Synchronization

/// A closure on its way to the main queue, where apps have it from.
private struct HandlerBox: @unchecked Sendable {  // SAFETY: called on the main queue alone, once
    let handler: () -> Void
}

extension ManagedSession: EventHandling {
    /// What the app's delegate was given; called once, on the main queue, when the events are over.
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
            let hasBegun = state.withLock { state in
                state.completion.handler = handler
                return state.completion.isDue || state.completion.isCalled || state.completion.isUnderWay
            }
            guard handler != nil else { return }
            if hasBegun { return callCompletionHandler() }
            // Nobody has called the app: what there was to tell has been told once the session is quiet.
            state.withLock { $0.completion.isUnderWay = true }
            finishEvents {
                // Where a closure takes the handler's place, it is called for events alone.
                let isReplaced = self.manager?.delegate.sessionDidFinishEventsForBackgroundURLSession != nil
                if isReplaced { self.leaveCompletionHandler() } else { self.callCompletionHandler() }
            }
        }
    }

    func calledToHandleEvents() {
        state.withLock { state in
            state.completion.isCalled = true
            state.completion.isDue = false
        }
        handleCalls()
    }

    func waitUntilQuiet() async {
        await settled()
        await attached.caughtUp()
        await attached.acknowledge()
    }

    /// Ends a call to handle events once all of them have been told.
    func handleCalls() {
        if place.isLaunchedForThis { Task(name: "events of a launch") { await EventGate.shared.pass() } }
        let begins = state.withLock { state in
            guard state.completion.isCalled, state.isListed else { return false }
            state.completion.isCalled = false
            state.completion.isUnderWay = true
            return true
        }
        if begins { finishEvents { self.complete() } }
    }

    /// Waits until everything was told, and says so.
    private func finishEvents(then: @escaping @Sendable () -> Void) {
        Task(name: "events of the app", executorPreference: BlockingExecutor.shared) {
            await EventGate.shared.pass()
            await self.settled()
            await self.attached.caughtUp()
            await self.deliveries.waitUntilQuiet()
            self.state.withLock { state in
                state.completion.isUnderWay = false
                state.completion.isDue = true
            }
            then()
        }
    }

    /// Tells the delegate that the events are over, which calls the completion handler unless it is told otherwise.
    private func complete() {
        guard let manager else { return callCompletionHandler() }
        deliveries.add(.main) {
            guard self.state.withLock(\.completion.isDue) else { return }
            manager.delegate.urlSessionDidFinishEvents(forBackgroundURLSession: manager.session)
        }
    }

    /// Somebody else answers for the completion handler.
    func leaveCompletionHandler() { state.withLock { $0.completion.isDue = false } }

    /// Calls the completion handler once the events are over; one that is set later is called then.
    func callCompletionHandler() {
        deliveries.add(.main) {
            let handler = self.state.withLock { state -> (@Sendable () -> Void)? in
                guard state.completion.isDue, let handler = state.completion.handler else { return nil }
                state.completion.isDue = false
                state.completion.handler = nil
                return handler
            }
            handler?()
        }
    }
}

/// The completion handler that the app's delegate was given for a session's events: called once, when they are over.
struct BackgroundCompletion {
    var handler: (@Sendable () -> Void)?
    /// Whether the app was called to handle events and they are not over.
    var isCalled = false
    /// Whether it is waited for their end.
    var isUnderWay = false
    /// Whether they are over and no handler was there.
    var isDue = false
}
