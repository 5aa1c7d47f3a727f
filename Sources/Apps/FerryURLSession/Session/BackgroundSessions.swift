import Foundation
import Glibc
import Logging
import Synchronization

/// The open background sessions of this process. One object per identifier performs the work.
package final class BackgroundSessions: Sendable {
    package static let shared = BackgroundSessions()

    private struct State {
        var sessions: [String: URLSession] = [:]
        /// Sessions whose app was called to handle their events in this process (docs/behaviour/url-session.md#56).
        var called: Set<String> = []
        /// Event handlers other than URL sessions, by identifier.
        var handlers: [String: any EventHandling] = [:]
    }

    /// Held while a session is created.
    let opening = NSLock()
    private let state = Mutex(State())
    private let logger = Logger(label: "ferry.session")

    /// Returns the open session of an identifier that accepts tasks.
    func session(for identifier: String) -> URLSession? {
        guard let open = state.withLock({ $0.sessions[identifier] }), !open.registry.isInvalidated else { return nil }
        logger.warning("A background URLSession with identifier \(identifier) already exists!")
        return open
    }

    func add(_ session: URLSession, _ identifier: String) {
        state.withLock { $0.sessions[identifier] = session }
        _ = Self.acknowledgesAtExit
    }

    func remove(_ session: URLSession, _ identifier: String) {
        state.withLock { state in
            if state.sessions[identifier] === session { state.sessions[identifier] = nil }
        }
    }

    // MARK: The end of the process

    /// Registers an exit handler, since a delegate may call `exit` in the completion call of a task.
    private static let acknowledgesAtExit: Void = {
        atexit { BackgroundSessions.shared.acknowledgeAtEnd() }
    }()

    /// Acknowledges delivered results, so that the daemon removes them.
    func acknowledgeAtEnd() {
        for session in state.withLock({ Array($0.sessions.values) }) {
            (session.engine as? BackgroundEngine)?.transfers.acknowledgeAtEnd()
        }
    }

    // MARK: Waiting events

    /// Records that the app was called to handle a session's events. The delegate is notified when all are delivered.
    func calledToHandleEvents(of identifier: String) {
        let (session, handler) = state.withLock { state in
            state.called.insert(identifier)
            return (state.sessions[identifier], state.handlers[identifier])
        }
        (session?.engine as? BackgroundEngine)?.calledToHandleEvents()
        if let handler, takeCall(of: identifier) { handler.calledToHandleEvents() }
    }

    /// Adds an event handler, other than a URL session, for an identifier. Notifies it at once if the app was already
    /// called to handle the events.
    package func add(_ handler: any EventHandling, _ identifier: String) {
        let isCalled = state.withLock { state in
            state.handlers[identifier] = handler
            return state.called.remove(identifier) != nil
        }
        if isCalled { handler.calledToHandleEvents() }
    }

    /// Whether the app was called to handle a session's events. True once per call.
    func takeCall(of identifier: String) -> Bool { state.withLock { $0.called.remove(identifier) != nil } }

    /// Returns once no event of any session waits for a delegate or is being handled by one, and the daemon has
    /// acknowledged all.
    func waitUntilQuiet() async {
        for handler in state.withLock({ Array($0.handlers.values) }) { await handler.waitUntilQuiet() }
        for session in state.withLock({ Array($0.sessions.values) }) {
            await (session.engine as? BackgroundEngine)?.waitUntilQuiet()
        }
    }
}
