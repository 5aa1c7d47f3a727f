import Synchronization

/// The tasks of a session that have not ended, and whether it accepts more.
final class TaskRegistry: Sendable {
    fileprivate struct State {
        var tasks: [Int: URLSessionTask] = [:]
        var isInvalidated = false
        /// Whether the session's end waits for tasks of an earlier process.
        var isAwaited = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    var isInvalidated: Bool { state.withLock(\.isInvalidated) }

    /// The tasks, ordered by number.
    var all: [URLSessionTask] {
        state.withLock { Array($0.tasks.values) }.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    subscript(_ identifier: Int) -> URLSessionTask? { state.withLock { $0.tasks[identifier] } }

    func add(_ task: URLSessionTask) { state.withLock { $0.tasks[task.taskIdentifier] = task } }

    /// - Returns: Whether this was the last task of a session that accepts no more.
    func remove(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            // Another task may have replaced it: a task that the daemon knows takes over the number of one that it
            // never knew.
            if state.tasks[task.taskIdentifier] === task { state.tasks[task.taskIdentifier] = nil }
            return state.claimEnd()
        }
    }

    /// Stops accepting new tasks. Tasks of an earlier process may still be added, and the session's end waits for them.
    func beginInvalidation() {
        state.withLock { state in
            state.isInvalidated = true
            state.isAwaited = true
        }
    }

    /// Stops accepting tasks.
    ///
    /// - Returns: Whether no task is left.
    func invalidate() -> Bool {
        state.withLock { state in
            state.isInvalidated = true
            state.isAwaited = false
            return state.claimEnd()
        }
    }
}

extension TaskRegistry.State {
    /// Whether the session has just ended. True once.
    fileprivate mutating func claimEnd() -> Bool {
        guard isInvalidated, !isAwaited, tasks.isEmpty, !hasEnded else { return false }
        hasEnded = true
        return true
    }
}
