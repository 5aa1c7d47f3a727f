import FerryCore
public import Foundation
import Synchronization

/// Async functions.
extension SessionManager {
    /// Downloads a URL and returns its file.
    ///
    /// The download survives the process, but canceling the awaiting Swift task cancels it.
    /// - Throws: The download's error. `canceled` if the awaiting Swift task is canceled.
    public func download(
        from url: some URLConvertible & Sendable, to destination: DownloadDestination = .cache()
    ) async throws(FerryError) -> URL {
        var spec = try DownloadSpec(url)
        spec.destination = destination
        let task = try await enqueue(spec)
        do throws(FerryError) {
            return try await task.value
        } catch {
            if Task.isCancelled { shared.perform(.cancel, on: [task]) { _ in } }
            throw error
        }
    }

    /// Submits a download. Returns once it is durable. Returns the existing task if the manager has one with this
    /// identifier.
    ///
    /// - Throws: `invalidURL`, `invalidDestination`, `checksumMismatch` for a checksum of the wrong length,
    ///   `daemonUnavailable`, `recordStoreFailed` or `sessionInUse`. Then nothing was stored.
    @discardableResult
    public func enqueue(_ spec: DownloadSpec) async throws(FerryError) -> DownloadTask {
        let tasks = try await enqueue([spec])
        guard let task = tasks.first else { throw .unknown }
        return task
    }

    /// Submits downloads in one transaction. Returns once they are durable.
    ///
    /// - Returns: One task per download, in order.
    @discardableResult
    public func enqueue(_ specs: [DownloadSpec]) async throws(FerryError) -> [DownloadTask] {
        var planned: [(task: DownloadTask, plan: RequestPlan)] = []
        var tasks: [DownloadTask] = []
        let configuration = configuration
        var plans: [(task: DownloadTask, plan: RequestPlan)] = []
        for spec in specs {
            try spec.check()
            plans.append(try spec.plan(for: shared, configuration, cache: cache))
        }
        shared.state.withLock { state in
            for (spec, (task, plan)) in zip(specs, plans) {
                if let id = spec.id, let task = state.list.task(id) {
                    tasks.append(task)
                    continue
                }
                shared.insert(task, in: &state)
                planned.append((task, plan))
                tasks.append(task)
            }
            shared.update(&state)
        }
        guard !planned.isEmpty else { return tasks }
        let submission = Submission(planned)
        let error = await withTaskGroup(of: FerryError?.self) { [shared] group in
            group.addTask {
                await withCheckedContinuation { continuation in
                    shared.store(submission) { continuation.resume(returning: $0) }
                }
            }
            group.addTask {
                // If the queue has not moved for so long, the daemon is unavailable.
                try? await Task.sleep(for: .seconds(ManagedSession.patience + 1))
                if !Task.isCancelled, submission.giveUp() {
                    let error = FerryError.daemonUnavailable(message: "The daemon has not responded in time.")
                    shared.fail(submission.tasks, error)
                    return error
                }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let error { throw error }
        for task in planned.map(\.task) where task.state.withLock({ !$0.isSubmitted }) {
            throw task.state.withLock(\.error) ?? .unknown
        }
        return tasks
    }

    /// Starts all downloads that have not succeeded. Returns once that is durable.
    public func startAll() async throws(FerryError) { try await total(.start) }

    /// Suspends all waiting and running downloads. Returns once that is durable.
    public func suspendAll() async throws(FerryError) { try await total(.suspend) }

    /// Cancels all downloads that have not succeeded. Returns once that is durable.
    public func cancelAll() async throws(FerryError) { try await total(.cancel) }

    /// Removes all downloads. Returns once that is durable.
    ///
    /// - Parameter completely: Whether to delete finished files too.
    public func removeAll(completely: Bool = false) async throws(FerryError) {
        try await total(.remove(completely: completely))
    }

    private func total(_ control: Control) async throws(FerryError) {
        let error = await withCheckedContinuation { continuation in
            shared.performOnAll(control, isPatient: false) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Returns the task with an identifier, or nil.
    public func task(id: DownloadTask.ID) -> DownloadTask? { shared.task(id) }

    /// Returns the tasks with a tag, in queue order.
    public func tasks(taggedWith tag: String) -> [DownloadTask] {
        shared.tasks.filter { $0.state.withLock { $0.asked.tags.contains(tag) } }
    }

    /// Returns the total progress of the tasks with a tag.
    public func progress(taggedWith tag: String) -> DownloadProgress {
        let tasks = tasks(taggedWith: tag)
        let now = ContinuousClock.now
        var received: Int64 = 0
        var expected: Int64? = 0
        var speed: Int64 = 0
        for task in tasks {
            task.state.withLock { task in
                received = received.addingSaturated(task.bytes.received)
                let total = task.total
                expected = total < 0 ? nil : expected.map { $0.addingSaturated(total) }
                speed = speed.addingSaturated(task.speed(now: now))
            }
        }
        let rest = expected.map { max(0, $0 - received) } ?? 0
        return DownloadProgress(
            receivedBytes: received, expectedBytes: expected, bytesPerSecond: speed,
            timeRemaining: speed > 0 && rest > 0 ? .seconds(rest.dividedRoundingUp(by: speed)) : nil)
    }
}
