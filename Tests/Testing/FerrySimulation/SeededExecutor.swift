import CTaskHooks
import Foundation

/// The executor of all actors and tasks of a simulated process. It leaves their jobs to the scheduler of the current
/// history.
final class SeededExecutor: SerialExecutor {
    static let shared = SeededExecutor()

    func enqueue(_ job: consuming ExecutorJob) { unsafe Self.scheduler?.add(.isolated(UnownedJob(job))) }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() {
        precondition(unsafe Self.scheduler?.isStepping == true, "This code runs beside the seeded executor.")
    }

    /// The scheduler of the current history.
    nonisolated(unsafe) private(set) static var scheduler: Scheduler?  // SAFETY: Histories run on one thread.

    /// Runs a history with a scheduler. All tasks and actors must have ended when it returns.
    static func with<Value>(_ scheduler: Scheduler, _ body: () -> Value) -> Value {
        TaskHooks.install()
        unsafe Self.scheduler = scheduler
        defer { unsafe Self.scheduler = nil }
        return body()
    }
}

/// The actor on whose executor a simulated service and its runs decide.
actor SeededHome {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe SeededExecutor.shared.asUnownedSerialExecutor() }
}

/// Makes Swift's runtime give the jobs of its thread pool and its timers to the scheduler of the current history.
private enum TaskHooks {
    private static let installed: Void = unsafe ferry_set_task_hooks(
        { job in unsafe SeededExecutor.scheduler?.add(.pooled(unsafeBitCast(job, to: UnownedJob.self))) },
        { job, delay in
            let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
            guard let scheduler = unsafe SeededExecutor.scheduler else { return }
            scheduler.timer(after: delay) { scheduler.add(.pooled(job)) }
        },
        { job, seconds, nanoseconds, _ in
            let job = unsafe unsafeBitCast(job, to: UnownedJob.self)
            guard let scheduler = unsafe SeededExecutor.scheduler else { return }
            // The simulated code has a clock of its own: nothing waits here, whatever the machine's clock says.
            scheduler.timer(after: 0) { scheduler.add(.pooled(job)) }
        },
        { job in unsafe SeededExecutor.scheduler?.add(.pooled(unsafeBitCast(job, to: UnownedJob.self))) })

    static func install() { _ = installed }
}
