import Synchronization

/// The tasks of one session that have not ended, and whether it takes more.
final class TaskRegistry: Sendable {
    fileprivate struct State {
        var tasks: [Int: URLSessionTask] = [:]
        var isInvalidated = false
        /// Whether tasks of an earlier process are to come before the end.
        var isAwaited = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    var isInvalidated: Bool { state.withLock(\.isInvalidated) }

    /// The tasks, by their numbers.
    var all: [URLSessionTask] {
        state.withLock { Array($0.tasks.values) }.sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    subscript(_ identifier: Int) -> URLSessionTask? { state.withLock { $0.tasks[identifier] } }

    func add(_ task: URLSessionTask) { state.withLock { $0.tasks[task.taskIdentifier] = task } }

    /// - Returns: whether this was the last task of a session that takes no more.
    func remove(_ task: URLSessionTask) -> Bool {
        state.withLock { state in
            // Another task may have the number by now: one that is known to the daemon goes before one that never was.
            if state.tasks[task.taskIdentifier] === task { state.tasks[task.taskIdentifier] = nil }
            return state.claimEnd()
        }
    }

    /// Takes no new tasks from now on. Tasks of an earlier process may still come, and the session's end waits for them.
    func beginInvalidation() {
        state.withLock { state in
            state.isInvalidated = true
            state.isAwaited = true
        }
    }

    /// Takes no more tasks from now on.
    ///
    /// - Returns: whether there is none left.
    func invalidate() -> Bool {
        state.withLock { state in
            state.isInvalidated = true
            state.isAwaited = false
            return state.claimEnd()
        }
    }
}

extension TaskRegistry.State {
    /// Whether the session has just ended; true only once.
    fileprivate mutating func claimEnd() -> Bool {
        guard isInvalidated, !isAwaited, tasks.isEmpty, !hasEnded else { return false }
        hasEnded = true
        return true
    }
}
