import Dispatch
import Synchronization

/// Holds events of background sessions until the app delegate has been called to handle them
/// (docs/behaviour/url-session.md#55).
///
/// The gate is closed at the start of a process that the daemon launched for events. It opens when the app delegate's
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` has returned. If the process never calls
/// `BackgroundApplication.run(delegate:)`, it opens after the next iterations of the main queue. It closes again when
/// the user quits the app.
package final class EventGate: Sendable {
    package static let shared = EventGate(isOpen: ApplicationIdentity.launchedFor == nil) {
        if let session = ApplicationIdentity.launchedFor {
            BackgroundSessions.shared.calledToHandleEvents(of: session)
        }
    }

    private struct State {
        var isOpen: Bool
        /// Whether only `open()` opens the gate. Otherwise it also opens by itself.
        var isHeld = false
        var isAwaited = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let opensUnheld: @Sendable () -> Void

    /// - Parameter opensUnheld: Called before the gate opens by itself.
    init(isOpen: Bool, opensUnheld: @escaping @Sendable () -> Void = {}) {
        self.opensUnheld = opensUnheld
        state = Mutex(State(isOpen: isOpen))
    }

    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Returns once events may be delivered.
    package func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, isFirst) = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.isAwaited = true }
                return (state.isOpen, !state.isAwaited)
            }
            if isOpen {
                continuation.resume()
            } else if isFirst {
                // Wait for two iterations of the main queue: a program that calls `run` does so in the same one that
                // creates its sessions.
                DispatchQueue.main.async { DispatchQueue.main.async { self.openUnlessHeld() } }
            }
        }
    }

    /// Makes `open()` the only way to open the gate.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Closes the gate. Only `open()` opens it again.
    func close() {
        state.withLock { state in
            state.isHeld = true
            state.isOpen = false
        }
    }

    func openUnlessHeld() {
        guard state.withLock({ !$0.isHeld && !$0.isOpen }) else { return }
        opensUnheld()
        open()
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

/// Decides when a process launched for events has finished its work (docs/behaviour/url-session.md#57).
///
/// A pure value without I/O.
struct LaunchedLife: Hashable, Sendable {
    /// Whether the daemon launched the process and the app has not become active since.
    private(set) var isBackground: Bool
    /// Sessions whose completion handler has not been called yet, by the number of the call to handle events.
    private(set) var pending: [Int: String] = [:]
    /// Background tasks that have begun and not ended.
    private(set) var tasks: Set<Int> = []
    private var calls = 0
    private var lastTask = 0

    init(isBackground: Bool) { self.isBackground = isBackground }

    mutating func becameActive() { isBackground = false }

    /// Records a call to handle a session's events and returns the number of the call.
    mutating func calledToHandleEvents(of session: String) -> Int {
        calls += 1
        pending[calls] = session
        return calls
    }

    /// Records that a completion handler was called.
    ///
    /// - Returns: Whether it was the first time.
    mutating func completed(_ call: Int) -> Bool { pending.removeValue(forKey: call) != nil }

    /// Begins a background task and returns its number, which is never 0.
    mutating func beganTask() -> Int {
        lastTask += 1
        tasks.insert(lastTask)
        return lastTask
    }

    /// Ends a background task that was ended or has reached its time limit.
    ///
    /// - Returns: Whether the task was active.
    mutating func endedTask(_ number: Int) -> Bool { tasks.remove(number) != nil }

    /// Whether the process may exit.
    ///
    /// - Parameter isQuiet: Whether no event waits for a delegate or is being handled by one.
    func ends(isQuiet: Bool) -> Bool { isBackground && calls > 0 && pending.isEmpty && tasks.isEmpty && isQuiet }
}
