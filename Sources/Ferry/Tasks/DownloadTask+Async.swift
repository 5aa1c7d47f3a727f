import FerryCore
import Foundation
import Synchronization

/// A task for code with async and await.
extension DownloadTask {
    /// What happens to a task, in order.
    ///
    /// Begins with the current state; progress is merged to the newest. Each reading is a sequence of its own; it ends with
    /// the success, failure, cancellation or removal, or when the reading Swift task is canceled.
    public struct Events: AsyncSequence, Sendable {
        public typealias Element = DownloadEvent
        public typealias Failure = Never

        let task: DownloadTask

        public struct AsyncIterator: AsyncIteratorProtocol {
            private let observation: Observation

            init(_ task: DownloadTask) { observation = Observation(of: task) }

            public func next() async -> DownloadEvent? { await observation.queue.next() }

            @available(macOS 15, iOS 18, *)
            public func next(isolation actor: isolated (any Actor)?) async -> DownloadEvent? {
                await observation.queue.next()
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(task) }
    }

    /// What happens to the task from here on, after its current state; several may read at once.
    public var events: Events { Events(task: self) }

    /// The finished file; waits for it through every other state.
    ///
    /// - Throws: The task's error once it has failed; `canceled` or `removed` once it was; `canceled` if the waiting Swift
    ///   task is canceled, which ends the wait alone.
    public var value: URL {
        get async throws(FerryError) {
            let number = state.withLock { state in
                state.nextObserver += 1
                return state.nextObserver
            }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Result<URL, FerryError>, Never>) in
                    let known: Result<URL, FerryError>? = state.withLock { state in
                        if let result = state.result { return result }
                        if Task.isCancelled { return .failure(.canceled) }
                        state.waiters[number] = continuation
                        return nil
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
                waiter?.resume(returning: .failure(.canceled))
            }
            return try result.get()
        }
    }
}

extension TaskState {
    /// What waiting for the file comes to; nil as long as something may happen.
    var result: Result<URL, FerryError>? {
        switch stored {
        case .succeeded: .success(URL(fileURLWithPath: filePath))
        case .failed: .failure(error ?? .unknown)
        case .canceled: .failure(.canceled)
        case .removed: .failure(.removed)
        case .waiting, .running, .suspended, .willSuspend, .willCancel, .willRemove: nil
        }
    }

    /// The event that ends an observation in this state.
    var lastEvent: DownloadEvent? {
        switch stored {
        case .succeeded: .succeeded(URL(fileURLWithPath: filePath))
        case .failed: .failed(error ?? .unknown)
        case .canceled: .canceled
        case .removed: .removed
        case .waiting, .running, .suspended, .willSuspend, .willCancel, .willRemove: nil
        }
    }
}

/// One reading of a task's events; ends with its reader.
private final class Observation: Sendable {
    let queue = EventQueue()
    private let task: DownloadTask
    private let number: Int

    init(of task: DownloadTask) {
        self.task = task
        let queue = queue
        number = task.state.withLock { state in
            state.nextObserver += 1
            queue.add(.state(state.status, state.status == .waiting ? state.waitingReason : nil))
            if let last = state.lastEvent { queue.add(last) } else { state.observers[state.nextObserver] = queue }
            return state.nextObserver
        }
    }

    deinit { task.state.withLock { $0.observers[number] = nil } }
}
