import FerryCore
public import Foundation
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
            let number = state.withLock { $0.readers.newNumber() }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: TaskReaders.Waiter) in
                    let known: Result<URL, FerryError>? = state.withLock { state in
                        if let result = state.result { return result }
                        if Task.isCancelled { return .failure(.canceled) }
                        state.readers.add(continuation, as: number)
                        return nil
                    }
                    if let known { continuation.resume(returning: known) }
                }
            } onCancel: {
                let waiter = state.withLock { $0.readers.removeWaiter(number) }
                waiter?.resume(returning: .failure(.canceled))
            }
            return try result.get()
        }
    }

    // MARK: Control

    /// Lets it go on; returns once that is durable.
    public func start() async throws(FerryError) { try await control(.start) }

    /// Stops it and keeps its bytes; returns once that is durable.
    public func suspend() async throws(FerryError) { try await control(.suspend) }

    /// Ends it and deletes its bytes; returns once that is durable.
    public func cancel() async throws(FerryError) { try await control(.cancel) }

    /// Takes it out of its manager; returns once that is durable.
    ///
    /// - Parameter completely: whether the finished file is deleted too.
    public func remove(completely: Bool = false) async throws(FerryError) {
        try await control(.remove(completely: completely))
    }

    /// Asks another URL for the same bytes, as when a signed one has expired; identity, place and bytes stay.
    ///
    /// The next response is judged by what is known of the file: one of another version begins again from 0.
    /// - Parameter headers: in place of the task's; nil keeps them.
    public func replaceRequest(url: URL, headers: HTTPHeaders? = nil) async throws(FerryError) {
        let address = try url.checked()
        try await change { change in
            change.url = address.absoluteString
            change.headers = headers.map { RequestPlan.fields($0) }
        }
        state.withLock { state in
            state.answer.url = address
            if let headers { state.asked.headers = headers }
        }
    }

    /// Changes when it gets its turn: from -10 to 10, the higher the sooner; values beyond are brought in.
    public func setPriority(_ priority: Int) async throws(FerryError) {
        try await change { $0.priority = Priority(clamping: priority) }
    }

    private func change(_ make: (inout TransferChange) -> Void) async throws(FerryError) {
        guard let session, session.has(self) else { throw .fetchDownloadTaskFailed(url: url.absoluteString) }
        var change = TransferChange()
        make(&change)
        let final = change
        let error = await withCheckedContinuation { continuation in
            session.change(self, done: { continuation.resume(returning: $0) }) { final }
        }
        if let error { throw error }
    }

    private func control(_ control: Control) async throws(FerryError) {
        guard let session, session.has(self) else { throw .fetchDownloadTaskFailed(url: url.absoluteString) }
        let error = await withCheckedContinuation { continuation in
            session.perform(control, on: [self], isPatient: false) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }
}

extension TaskState {
    /// What waiting for the file comes to; nil as long as something may happen.
    var result: Result<URL, FerryError>? {
        switch stored {
        case .succeeded: .success(URL(fileURLWithPath: file.path))
        case .failed: .failure(error ?? .unknown)
        case .canceled: .failure(.canceled)
        case .removed: .failure(.removed)
        case .waiting, .running, .suspended, .willSuspend, .willCancel, .willRemove: nil
        }
    }

    /// The event that ends an observation in this state.
    var lastEvent: DownloadEvent? {
        switch stored {
        case .succeeded: .succeeded(URL(fileURLWithPath: file.path))
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
            let number = state.readers.newNumber()
            queue.add(.state(state.status, state.status == .waiting ? state.waitingReason : nil))
            if let last = state.lastEvent { queue.add(last) } else { state.readers.add(queue, as: number) }
            return number
        }
    }

    deinit { task.state.withLock { $0.readers.removeQueue(number) } }
}
