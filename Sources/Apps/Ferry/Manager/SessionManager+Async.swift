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

    /// Submits a download. Returns once it is durable.
    ///
    /// If the manager has a task with this identifier, that task takes over the description's values and continues, as
    /// with ``download(_:headers:fileName:onMainQueue:handler:)``, and is returned.
    /// - Throws: `invalidURL`, `invalidDestination`, `checksumMismatch` for a checksum of the wrong length,
    ///   `daemonUnavailable`, `recordStoreFailed` or `sessionInUse`; `invalidRequest` if an existing task cannot take
    ///   over a value, for example because it has finished. Then nothing was stored. If the daemon refuses a change of an
    ///   existing task, the new tasks of the same call are stored.
    @discardableResult
    public func enqueue(_ spec: DownloadSpec) async throws(FerryError) -> DownloadTask {
        let tasks = try await enqueue([spec])
        guard let task = tasks.first else { throw .unknown }
        return task
    }

    /// Submits downloads. Returns once they are durable. The new ones are stored in one transaction, then existing ones
    /// take over their values, one after the other.
    ///
    /// - Returns: One task per download, in order.
    @discardableResult
    public func enqueue(_ specs: [DownloadSpec]) async throws(FerryError) -> [DownloadTask] {
        var planned: [(task: DownloadTask, plan: RequestPlan)] = []
        var tasks: [DownloadTask] = []
        let mapping = shared.mapping
        var plans: [(task: DownloadTask, plan: RequestPlan)] = []
        var ids: [DownloadTask.ID: DownloadSpec] = [:]
        for spec in specs {
            try spec.check()
            if let id = spec.id {
                if let twin = ids.updateValue(spec, forKey: id), !twin.isEqual(to: spec) {
                    throw DownloadSpec.twice(id.rawValue)
                }
                let old = shared.task(id)?.state.withLock(\.asked.url)
                if let old { try hooks.checkTrust(from: URL(string: old)?.host, to: spec.url.host, of: id.rawValue) }
            }
            plans.append(try spec.plan(for: shared, mapping, hooks, cache: cache))
        }
        let taken = try shared.state.withLock { state throws(FerryError) in
            var known: [DownloadTask.ID: TakenOver] = [:]
            for (spec, (_, plan)) in zip(specs, plans) {
                // A task that an earlier call is about to cancel or remove makes room for another.
                guard let id = spec.id, let task = state.list.task(id), !task.state.withLock({ $0.calls.makeRoom() })
                else { continue }
                let change = try task.state.withLock { task throws(FerryError) in
                    try spec.change(of: task, to: plan.template.request, name: plan.name)
                }
                known[id] = TakenOver(task: task, spec: spec, change: change)
            }
            for (spec, (new, plan)) in zip(specs, plans) {
                if let id = spec.id, let known = known[id] {
                    tasks.append(known.task)
                    continue
                }
                shared.insert(new, in: &state)
                planned.append((new, plan))
                tasks.append(new)
                if let id = spec.id { known[id] = TakenOver(task: new, spec: spec, change: nil) }
            }
            shared.update(&state)
            return Array(known.values)
        }
        if !planned.isEmpty { try await store(planned) }
        for taken in taken {
            if let change = taken.change { try await taken.task.take(taken.spec, change) }
        }
        let new = Set(planned.map(\.task))
        let resting = taken.map(\.task).filter { task in
            !new.contains(task) && task.state.withLock { $0.stored.isEnd }
        }
        if !resting.isEmpty { try await start(resting) }
        return tasks
    }

    private func start(_ tasks: [DownloadTask]) async throws(FerryError) {
        let error = await withCheckedContinuation { continuation in
            shared.perform(.start, on: tasks, isPatient: false) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    private func store(_ planned: [(task: DownloadTask, plan: RequestPlan)]) async throws(FerryError) {
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

/// An existing task that takes over the values of a description.
private struct TakenOver: Sendable {
    let task: DownloadTask
    let spec: DownloadSpec
    /// Nil if nothing is to change, or the task is new.
    let change: TransferChange?
}
