import Foundation

/// Performs the tasks of one session, in this process or in the daemon.
protocol SessionEngine: AnyObject, Sendable {
    /// Returns the number of the session's next task.
    func nextTaskIdentifier() -> Int

    /// Creates the transport of a task. Called when the task is created in background sessions, otherwise on first use.
    func transport(for task: URLSessionTask, work: TaskWork, relay: TaskRelay) -> any TaskTransport

    /// Whether a task's transport is created together with the task.
    var carriesUnresumedTasks: Bool { get }

    /// Whether tasks of an earlier process have yet to be restored.
    var isRestoring: Bool { get }

    /// Returns once the tasks of an earlier process have been restored, or cannot be.
    func restored() async

    /// Notes that a task's last delegate call has returned.
    func ended(_ task: URLSessionTask)

    /// Notes that the last task of an invalidated session has ended. Returns once all results are delivered and
    /// acknowledged.
    func invalidated() async

    /// Closes the engine before the session's last delegate call.
    func close() async
}

extension SessionEngine {
    var isRestoring: Bool { false }
    func ended(_ task: URLSessionTask) {}
    func close() async {}
}

/// Handles the events of a background session that is not a `URLSession` of this process.
package protocol EventHandling: AnyObject, Sendable {
    /// Records that the app was called to handle events. The app's completion handler is called once they are handled.
    func calledToHandleEvents()

    /// Returns once no event waits for a callback or is being handled by one, and the daemon has acknowledged all.
    func waitUntilQuiet() async
}
