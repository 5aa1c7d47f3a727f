import Foundation
import Synchronization

/// Async readers of a task's events and file, and the model that follows it.
struct TaskReaders {
    typealias Waiter = CheckedContinuation<Result<URL, FerryError>, Never>

    /// Called on the main queue at every status change and with new bytes.
    var watcher: Handler<DownloadTask>?
    private var queues: [Int: EventQueue] = [:]
    private var waiters: [Int: Waiter] = [:]
    private var starts: [StartHandler] = []
    private var last = 0

    /// Returns an unused reader number.
    mutating func newNumber() -> Int {
        last += 1
        return last
    }

    mutating func add(_ queue: EventQueue, as number: Int) { queues[number] = queue }

    mutating func add(_ waiter: Waiter, as number: Int) { waiters[number] = waiter }

    mutating func removeQueue(_ number: Int) { queues[number] = nil }

    mutating func removeWaiter(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Adds an event for each reader.
    func notify(_ event: DownloadEvent) {
        for queue in queues.values { queue.add(event) }
    }

    mutating func add(_ start: StartHandler) { starts.append(start) }

    /// Removes and returns the handlers of calls that have started the task.
    mutating func takeStarts() -> [StartHandler] {
        defer { starts = [] }
        return starts
    }

    /// Ends all readers with a last event. Returns the waiters to resume.
    mutating func end(with event: DownloadEvent) -> [Waiter] {
        notify(event)
        queues = [:]
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

/// The closures of a task, and its progress schedule.
struct TaskClosures {
    var slots = Slots<DownloadTask>()
    /// Mark of the latest progress closure's call.
    var progressMark: DeliveryMark?
    /// Closures that wait for the validation of the file.
    private var validations: [Slot<DownloadTask>] = []
    /// Whether a progress closure is enqueued.
    private var isProgressQueued = false
    private var lastProgress: ContinuousClock.Instant?
    /// The bytes and size last reported.
    private var reported: (bytes: Int64, total: Int64) = (-1, -1)

    /// Returns whether there is progress to report, and records it.
    ///
    /// - Parameter isLast: Whether the task has stopped, so that the spacing of progress does not matter.
    mutating func reportsProgress(
        received: Int64, total: Int64, isLast: Bool, at now: ContinuousClock.Instant
    ) -> Bool {
        if !isLast, let last = lastProgress, now - last < ManagerNotifications.progressSpacing { return false }
        // A size known only at the end is also new.
        let hasBytes = reported.bytes != received && (reported.bytes >= 0 || received > 0)
        guard hasBytes || (isLast && reported.bytes > 0 && reported.total != total) else { return false }
        lastProgress = now
        reported = (received, total)
        return true
    }

    /// Marks the progress closure as enqueued and returns it, or nil if there is none or it is already enqueued.
    mutating func queueProgress() -> Slot<DownloadTask>? {
        guard let slot = slots.progress, !isProgressQueued else { return nil }
        isProgressQueued = true
        return slot
    }

    /// Dequeues the progress closure.
    mutating func takeProgress() -> Slot<DownloadTask>? {
        isProgressQueued = false
        return slots.progress
    }

    mutating func addValidation(_ slot: Slot<DownloadTask>) { validations.append(slot) }

    /// Removes and returns the closures that wait for a validation.
    mutating func takeValidations() -> [Slot<DownloadTask>] {
        defer { validations = [] }
        return validations
    }
}

/// The handler of a call that has started a task. Called once the task is running or known to wait, or after a timeout.
final class StartHandler: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    /// Calls the handler, the first time.
    func call() { body.withLock { $0.take() }?() }
}
