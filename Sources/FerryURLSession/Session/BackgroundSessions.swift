import Foundation
import Glibc
import Logging
import Synchronization

/// The background sessions that this process has open: one object for each identifier acts.
package final class BackgroundSessions: Sendable {
    package static let shared = BackgroundSessions()

    private struct State {
        var sessions: [String: URLSession] = [:]
        /// Sessions whose app was called to handle their events in this process (docs/behaviour/url-session.md#56).
        var called: Set<String> = []
        /// Event handlers that are not URL sessions, by their identifiers.
        var handlers: [String: any EventHandling] = [:]
    }

    /// Held while a session is made.
    let opening = NSLock()
    private let state = Mutex(State())
    private let logger = Logger(label: "ferry.session")

    /// The session that is open for an identifier and takes tasks.
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

    /// A delegate may call `exit` in its last call for a task.
    private static let acknowledgesAtExit: Void = {
        atexit { BackgroundSessions.shared.acknowledgeAtEnd() }
    }()

    /// Lets the daemon forget what delegates were told.
    func acknowledgeAtEnd() {
        for session in state.withLock({ Array($0.sessions.values) }) {
            (session.engine as? BackgroundEngine)?.transfers.acknowledgeAtEnd()
        }
    }

    // MARK: Events that waited

    /// The app is called to handle a session's events: its delegate is told when they are over.
    func calledToHandleEvents(of identifier: String) {
        let (session, handler) = state.withLock { state in
            state.called.insert(identifier)
            return (state.sessions[identifier], state.handlers[identifier])
        }
        (session?.engine as? BackgroundEngine)?.calledToHandleEvents()
        if let handler, takeCall(of: identifier) { handler.calledToHandleEvents() }
    }

    /// Adds a handler, other than a URL session, for the events of an identifier. It is called at once if the app was already
    /// called to handle them.
    package func add(_ handler: any EventHandling, _ identifier: String) {
        let isCalled = state.withLock { state in
            state.handlers[identifier] = handler
            return state.called.remove(identifier) != nil
        }
        if isCalled { handler.calledToHandleEvents() }
    }

    /// Whether the app was called to handle a session's events; asked once for each call.
    func takeCall(of identifier: String) -> Bool { state.withLock { $0.called.remove(identifier) != nil } }

    /// Returns once no event of any session waits for a delegate or runs in one, and the daemon knows of them.
    func waitUntilQuiet() async {
        for handler in state.withLock({ Array($0.handlers.values) }) { await handler.waitUntilQuiet() }
        for session in state.withLock({ Array($0.sessions.values) }) {
            await (session.engine as? BackgroundEngine)?.waitUntilQuiet()
        }
    }
}
