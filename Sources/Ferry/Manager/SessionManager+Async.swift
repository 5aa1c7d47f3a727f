import FerryCore
public import Foundation
import Synchronization

/// A manager for code with async and await.
extension SessionManager {
    /// Downloads a URL and returns its file.
    ///
    /// The end of the process does not end the download; canceling the Swift task that waits does.
    /// - Throws: The download's error; `canceled` if the waiting Swift task is canceled.
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

    /// Stores a download; returns once that is durable. An identifier that the manager has gives its task.
    ///
    /// - Throws: `invalidURL`, `invalidDestination`, `checksumMismatch` for a code of the wrong length,
    ///   `daemonUnavailable`, `recordStoreFailed` or `sessionInUse`; then nothing was stored.
    @discardableResult
    public func enqueue(_ spec: DownloadSpec) async throws(FerryError) -> DownloadTask {
        let tasks = try await enqueue([spec])
        guard let task = tasks.first else { throw .unknown }
        return task
    }

    /// Stores downloads in one transaction; returns once that is durable.
    ///
    /// - Returns: one task for each, in their order.
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
                // A queue that does not move for so long has no daemon.
                try? await Task.sleep(for: .seconds(ManagedSession.patience + 1))
                if !Task.isCancelled, submission.giveUp() {
                    let error = FerryError.daemonUnavailable(message: "The daemon has not answered in time.")
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

    /// Lets all downloads go on that have not succeeded; returns once that is durable.
    public func startAll() async throws(FerryError) { try await total(.start) }

    /// Stops all downloads that wait or run; returns once that is durable.
    public func suspendAll() async throws(FerryError) { try await total(.suspend) }

    /// Ends all downloads that have not succeeded; returns once that is durable.
    public func cancelAll() async throws(FerryError) { try await total(.cancel) }

    /// Takes all downloads out of the manager; returns once that is durable.
    ///
    /// - Parameter completely: whether finished files are deleted too.
    public func removeAll(completely: Bool = false) async throws(FerryError) {
        try await total(.remove(completely: completely))
    }

    private func total(_ control: Control) async throws(FerryError) {
        let error = await withCheckedContinuation { continuation in
            shared.performOnAll(control, isPatient: false) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// The task of an identifier; nil if there is none.
    public func task(id: DownloadTask.ID) -> DownloadTask? { shared.task(id) }

    /// The tasks with a tag, in queue order.
    public func tasks(taggedWith tag: String) -> [DownloadTask] {
        shared.tasks.filter { $0.state.withLock { $0.asked.tags.contains(tag) } }
    }

    /// The sum of the tasks with a tag.
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
