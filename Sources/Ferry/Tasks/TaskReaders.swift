import Foundation
import Synchronization

/// Code with async and await that reads a task's events or waits for its file, and the model that follows it.
struct TaskReaders {
    typealias Waiter = CheckedContinuation<Result<URL, FerryError>, Never>

    /// Called on the main queue at every change of state and with new bytes.
    var watcher: Handler<DownloadTask>?
    private var queues: [Int: EventQueue] = [:]
    private var waiters: [Int: Waiter] = [:]
    private var starts: [StartHandler] = []
    private var last = 0

    /// A number that no other reader of the task has.
    mutating func newNumber() -> Int {
        last += 1
        return last
    }

    mutating func add(_ queue: EventQueue, as number: Int) { queues[number] = queue }

    mutating func add(_ waiter: Waiter, as number: Int) { waiters[number] = waiter }

    mutating func removeQueue(_ number: Int) { queues[number] = nil }

    mutating func removeWaiter(_ number: Int) -> Waiter? { waiters.removeValue(forKey: number) }

    /// Adds an event to what each reader has not read.
    func tell(_ event: DownloadEvent) {
        for queue in queues.values { queue.add(event) }
    }

    mutating func add(_ start: StartHandler) { starts.append(start) }

    /// The handlers of calls that have started the task, each once.
    mutating func takeStarts() -> [StartHandler] {
        defer { starts = [] }
        return starts
    }

    /// Lets all readers go, with the event that ends their sequences; the waiters among them are to be resumed.
    mutating func end(with event: DownloadEvent) -> [Waiter] {
        tell(event)
        queues = [:]
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

/// The closures of a task, and when its progress closure is due.
struct TaskClosures {
    var slots = Slots<DownloadTask>()
    /// Where the call of the latest progress closure is.
    var progressMark: DeliveryMark?
    /// Closures that wait for the comparison of the file with a code.
    private var validations: [Slot<DownloadTask>] = []
    /// Whether a progress closure waits for its turn.
    private var isProgressQueued = false
    private var lastProgress: ContinuousClock.Instant?
    /// Bytes that were told last, and the size that was known then.
    private var told: (bytes: Int64, total: Int64) = (-1, -1)

    /// Notes that bytes are told, if there is something to tell.
    ///
    /// - Parameter isLast: whether the task runs no more, so that the spacing of progress does not matter.
    mutating func reportsProgress(
        received: Int64, total: Int64, isLast: Bool, at now: ContinuousClock.Instant
    ) -> Bool {
        if !isLast, let last = lastProgress, now - last < ManagerNotifications.progressSpacing { return false }
        // A size that is known at the end alone is news too.
        let hasBytes = told.bytes != received && (told.bytes >= 0 || received > 0)
        guard hasBytes || (isLast && told.bytes > 0 && told.total != total) else { return false }
        lastProgress = now
        told = (received, total)
        return true
    }

    /// The progress closure whose call is to be added to its line; nil if there is none, or one waits there already.
    mutating func queueProgress() -> Slot<DownloadTask>? {
        guard let slot = slots.progress, !isProgressQueued else { return nil }
        isProgressQueued = true
        return slot
    }

    /// The progress closure whose turn has come.
    mutating func takeProgress() -> Slot<DownloadTask>? {
        isProgressQueued = false
        return slots.progress
    }

    mutating func addValidation(_ slot: Slot<DownloadTask>) { validations.append(slot) }

    /// The closures that wait for a comparison, each once.
    mutating func takeValidations() -> [Slot<DownloadTask>] {
        defer { validations = [] }
        return validations
    }
}

/// The handler of a call that has started a task; called once the task runs or is known to wait, or has waited for a while.
final class StartHandler: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    /// Calls the handler, the first time.
    func call() { body.withLock { $0.take() }?() }
}
