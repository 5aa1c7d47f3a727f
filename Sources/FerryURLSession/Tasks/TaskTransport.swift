// Ferry: FerryURLSession
// What carries one task's work.

import Foundation

/// Carries one task's work. Made by the session's engine, driven by the task, reports to the task's relay.
///
/// All methods may be called from any thread and return quickly; those of background sessions return once what they say is
/// durable.
protocol TaskTransport: AnyObject, Sendable {
    /// Starts, or goes on after `suspend`.
    func resume()
    func suspend()
    /// Ends the task; the relay's completion with -999 follows.
    func cancel()
    /// Calls the handler with what a later task needs to continue, then completes with -999 and the same data.
    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void)
    func update(_ change: TaskChange)
}

/// What an app changes about a task that exists.
enum TaskChange: Sendable {
    case priority(Float)
    case description(String?)
    case earliestBeginDate(Date?)
    case options(TaskOptions)
    case request(URLRequest)
}
