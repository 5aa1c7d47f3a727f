import Dispatch
import Synchronization

/// Holds the events of background sessions back while the app has yet to be told that they come
/// (docs/behaviour/url-session.md#55).
///
/// Closed at the start of a process that the daemon has launched for events; it opens once the app delegate's
/// `application(_:handleEventsForBackgroundURLSession:completionHandler:)` has returned, or at the main queue's next turns
/// if the process never calls `BackgroundApplication.run(delegate:)`. Closed again when the app's user ends it.
package final class EventGate: Sendable {
    package static let shared = EventGate(isOpen: ApplicationIdentity.launchedFor == nil) {
        if let session = ApplicationIdentity.launchedFor {
            BackgroundSessions.shared.calledToHandleEvents(of: session)
        }
    }

    private struct State {
        var isOpen: Bool
        /// Whether only `open()` opens the gate; otherwise it also opens by itself.
        var isHeld = false
        var isAwaited = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let opensUnheld: @Sendable () -> Void

    /// - Parameter opensUnheld: called before the gate opens by itself, since it is not held.
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
                // The turn after this one: a program that calls `run` does so in the one in which it makes its sessions.
                DispatchQueue.main.async { DispatchQueue.main.async { self.openUnlessHeld() } }
            }
        }
    }

    /// From now on, only `open()` opens the gate.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Nothing passes from now on.
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

/// Decides when a process that was launched for events has done its work (docs/behaviour/url-session.md#57).
///
/// Performs nothing.
struct LaunchedLife: Hashable, Sendable {
    /// Whether the daemon has launched the process and it has not become active since.
    private(set) var isBackground: Bool
    /// Calls to handle events whose completion handler was not called yet, by their number.
    private(set) var pending: [Int: String] = [:]
    /// Tasks that the app has begun and not ended.
    private(set) var tasks: Set<Int> = []
    private var calls = 0
    private var lastTask = 0

    init(isBackground: Bool) { self.isBackground = isBackground }

    mutating func becameActive() { isBackground = false }

    /// The app is called to handle a session's events; the number names the call.
    mutating func calledToHandleEvents(of session: String) -> Int {
        calls += 1
        pending[calls] = session
        return calls
    }

    /// A completion handler was called.
    ///
    /// - Returns: whether it was the first time.
    mutating func completed(_ call: Int) -> Bool { pending.removeValue(forKey: call) != nil }

    /// The app begins a task, for which the process stays; the number names the task, and is not 0.
    mutating func beganTask() -> Int {
        lastTask += 1
        tasks.insert(lastTask)
        return lastTask
    }

    /// A task was ended, or has had its time.
    ///
    /// - Returns: whether it was under way.
    mutating func endedTask(_ number: Int) -> Bool { tasks.remove(number) != nil }

    /// Whether the process ends now.
    ///
    /// - Parameter isQuiet: whether no event waits for a delegate or runs in one.
    func ends(isQuiet: Bool) -> Bool { isBackground && calls > 0 && pending.isEmpty && tasks.isEmpty && isQuiet }
}
