// Ferry: FerryURLSession
// Where work runs that a thread waits for.

import Dispatch

/// Runs tasks on a thread of its own, so that a thread of Swift's pool may wait for them: they need none of that pool.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    private let queue = DispatchQueue(label: "ferry.calls", qos: .userInitiated)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
