import Dispatch
import Synchronization

/// Waits for asynchronous work on the calling thread, since `URLSession`'s methods that must be durable when they return
/// are not `async`.
package enum Blocking {
    /// Runs some work and returns its result.
    package static func wait<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () async throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let box = ResultBox<Value, Failure>()
        let done = DispatchSemaphore(value: 0)
        Task(name: "call", executorPreference: BlockingExecutor.shared) {
            do throws(Failure) {
                box.put(.success(try await work()))
            } catch {
                box.put(.failure(error))
            }
            done.signal()
        }
        done.wait()
        return try box.take().get()
    }

    /// Runs some work and waits for its end, but no longer than some seconds; the work goes on.
    ///
    /// - Returns: nil if the time was not enough.
    package static func wait<Value: Sendable>(
        seconds: Double, _ work: @escaping @Sendable () async -> Value
    ) -> Value? {
        let box = ResultBox<Value, Never>()
        let done = DispatchSemaphore(value: 0)
        Task(name: "call", executorPreference: BlockingExecutor.shared) {
            box.put(.success(await work()))
            done.signal()
        }
        guard done.wait(timeout: .now() + seconds) == .success else { return nil }
        return box.take().get()
    }
}

/// Carries a result from one thread to another.
private final class ResultBox<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)

    func put(_ value: Result<Value, Failure>) { result.withLock { $0 = value } }

    func take() -> Result<Value, Failure> {
        guard let result = result.withLock({ $0 }) else { preconditionFailure("A call that has ended has a result.") }
        return result
    }
}

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
