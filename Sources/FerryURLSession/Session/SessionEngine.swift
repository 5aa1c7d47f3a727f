import Foundation

/// Carries the tasks of one session: in this process, or in the daemon.
protocol SessionEngine: AnyObject, Sendable {
    /// The number of the session's next task.
    func nextTaskIdentifier() -> Int

    /// Makes the transport of a task. Called at the task's creation in background sessions, else when it is first needed.
    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport

    /// Whether a task's transport is made together with it.
    var carriesUnresumedTasks: Bool { get }

    /// Whether the tasks that an earlier process left are still to come.
    var isRestoring: Bool { get }

    /// Returns once the tasks that an earlier process left are there, or cannot be known.
    func restored() async

    /// A task has had its last call.
    func ended(_ task: URLSessionTask)

    /// The session's last task has ended, and it takes no other. Returns once all is delivered and acknowledged.
    func invalidated() async

    /// The session's delegate has had its last call.
    func close() async
}

extension SessionEngine {
    var isRestoring: Bool { false }
    func ended(_ task: URLSessionTask) {}
    func close() async {}
}

/// Handles the events of a background session that is no `URLSession` of this process.
package protocol EventHandling: AnyObject, Sendable {
    /// The app was called to handle events: its completion handler is due when they are over.
    func calledToHandleEvents()

    /// Returns once no event waits for a callback or runs in one, and the daemon knows of them.
    func waitUntilQuiet() async
}
