import Dispatch
import Synchronization

/// Blocks the calling thread for asynchronous work. Needed because the methods of `URLSession` that must be durable on
/// return are not `async`.
package enum Blocking {
    /// Runs work and returns its result.
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

    /// Runs work and waits for its result for a limited number of seconds. The work continues after that.
    ///
    /// - Returns: Nil if the time has passed.
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

/// Passes a result from one thread to another.
private final class ResultBox<Value: Sendable, Failure: Error>: Sendable {
    private let result = Mutex<Result<Value, Failure>?>(nil)

    func put(_ value: Result<Value, Failure>) { result.withLock { $0 = value } }

    func take() -> Result<Value, Failure> {
        guard let result = result.withLock({ $0 }) else { preconditionFailure("A call that has ended has a result.") }
        return result
    }
}

/// Runs tasks on its own thread instead of Swift's pool, so that a thread of the pool may block until they finish.
package final class BlockingExecutor: TaskExecutor {
    package static let shared = BlockingExecutor()

    private let queue = DispatchQueue(label: "ferry.calls", qos: .userInitiated)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
