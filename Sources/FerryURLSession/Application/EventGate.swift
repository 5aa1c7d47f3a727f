// Ferry: FerryURLSession
// Holds events back until the app has been told that they come.

import Foundation
import Synchronization

/// Holds the events of background sessions back while the app has yet to be told that they come (statement 55).
///
/// Closed at the start of a process that the daemon has launched for events; it opens once the app delegate's
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` has returned, or at the main queue's next turns
/// if the process never calls `BackgroundApplication.run(delegate:)`.
final class EventGate: Sendable {
    static let shared = EventGate(isOpen: ApplicationIdentity.launchedFor == nil)

    private struct State {
        var isOpen: Bool
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(isOpen: Bool) { state = Mutex(State(isOpen: isOpen)) }

    /// Returns once events may be delivered.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
