import Dispatch

/// Runs tasks on a thread of its own: callers may block the threads of Swift's pool, and calls have a thread to themselves.
final class DecodingExecutor: TaskExecutor {
    static let shared = DecodingExecutor()

    private let queue = DispatchQueue(label: "ferry.answers", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
