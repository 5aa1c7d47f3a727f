import FerryCore
public import Foundation
import Synchronization

/// Async functions.
extension DownloadTask {
    /// The events of a task, in order.
    ///
    /// Begins with the current state. Progress is coalesced to the newest. Each iteration is independent. It ends with
    /// success, failure, cancellation or removal, or when the iterating Swift task is canceled.
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

    /// The events of the task, beginning with its current state. Several iterations may run at once.
    public var events: Events { Events(task: self) }

    /// The finished file. Waits for it through every other state.
    ///
    /// - Throws: The task's error after a failure; `canceled` or `removed` after these. `canceled` if the awaiting
    ///   Swift task is canceled, which does not affect the download.
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

    /// Resumes the download. Returns once that is durable.
    public func start() async throws(FerryError) { try await control(.start) }

    /// Suspends it and keeps its bytes. Returns once that is durable.
    public func suspend() async throws(FerryError) { try await control(.suspend) }

    /// Cancels it and deletes its bytes. Returns once that is durable.
    public func cancel() async throws(FerryError) { try await control(.cancel) }

    /// Removes it from its manager. Returns once that is durable.
    ///
    /// - Parameter completely: Whether to delete the finished file too.
    public func remove(completely: Bool = false) async throws(FerryError) {
        try await control(.remove(completely: completely))
    }

    /// Continues with another URL of the same file, for example when a signed one has expired. Identity, destination
    /// and bytes stay.
    ///
    /// The next response is compared with what is known of the file: another version restarts from byte 0.
    /// - Parameters:
    ///   - url: The new URL.
    ///   - headers: Replaces the task's headers. Nil keeps them.
    public func replaceRequest(url: URL, headers: HTTPHeaders? = nil) async throws(FerryError) {
        let address = try url.checked()
        let asked = state.withLock(\.asked)
        let hooks = session?.manager?.hooks
        try hooks?.checkTrust(from: URL(string: asked.url)?.host, to: address.host, of: id.rawValue)
        let request = URLRequest(address, method: asked.method, headers: headers ?? asked.headers)
        let mapping = session?.mapping
        try await change { change in
            change.url = address.absoluteString
            if headers != nil { change.headers = mapping?.fields(request) }
        }
        state.withLock { state in
            state.answer.url = address
            state.asked.url = address.absoluteString
            if let headers { state.asked.headers = headers }
        }
    }

    /// Sets the priority: -10 to 10, higher goes first. Other values are clamped.
    public func setPriority(_ priority: Int) async throws(FerryError) {
        try await change { $0.priority = Priority(clamping: priority) }
    }

    /// Takes over the values of a description. Returns once that is durable.
    func take(_ spec: DownloadSpec, _ given: TransferChange) async throws(FerryError) {
        guard let session else { throw .fetchDownloadTaskFailed(url: url.absoluteString) }
        let note = state.withLock { $0.note(spec) }
        try await change { change in
            change = given
            change.note = session.place.note(note.text)
        }
        state.withLock { $0.take(spec, given) }
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
    /// The result of waiting for the file, or nil while it is undecided.
    var result: Result<URL, FerryError>? {
        switch stored {
        case .succeeded: .success(URL(fileURLWithPath: file.path))
        case .failed: .failure(error ?? .unknown)
        case .canceled: .failure(.canceled)
        case .removed: .failure(.removed)
        case .waiting, .running, .suspended, .willSuspend, .willCancel, .willRemove: nil
        }
    }

    /// The event that ends an observation in this status.
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

/// One iteration of a task's events. Ends with its iterator.
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
