import Foundation
import FoundationNetworking

/// A task's mutable state, guarded by one lock per task. Kept small, since apps create tens of thousands of tasks.
struct TaskStorage {
    var ledger = TaskLedger()
    var description: String?
    var requests = TaskRequests()
    var response: URLResponse?
    var error: (any Error)?
    var delegate: (any URLSessionTaskDelegate)?
    var handler: TaskHandler?
    var earliestBeginDate: Date?
    var priority: Float = 0.5
    var prefersIncrementalDelivery = true
    var counts = TaskCounts()
    var options: TaskOptions?
    var waitingReason: WaitingReason?
    var progress: Progress?
    var transport: (any TaskTransport)?
    /// The data for a completion handler, collected as it arrives.
    var collected = Data()
    /// The file that the delegate received and did not move.
    var leftFile: TemporaryFile?
    /// Whether a completion handler has received its file. The task's completion then calls neither a handler nor the
    /// delegate.
    var hasDelivered = false

    /// Releases the objects and data that are needed only until completion.
    mutating func release() {
        delegate = nil
        handler = nil
        transport = nil
        collected = Data()
    }
}

/// A task's requests.
struct TaskRequests {
    var original: URLRequest?
    /// Nil while it equals the original request.
    var current: URLRequest?
    /// The app's request in place of the original one, at which retries and resumed downloads begin. Nil if there is
    /// none.
    var replacement: URLRequest?
}

/// A file that is removed when the last reference to this object is released.
final class TemporaryFile: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A task's byte counts.
struct TaskCounts: Hashable, Sendable {
    var sent: Int64 = 0
    var received: Int64 = 0
    var expectedToSend: Int64 = 0
    var expectedToReceive: Int64 = -1
    var clientExpectsToSend: Int64 = -1
    var clientExpectsToReceive: Int64 = -1
}

/// A handler that receives a task's result instead of the delegate.
enum TaskHandler: Sendable {
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    /// The file stays in place, and the caller takes ownership.
    case keptFile(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    case bytes(ByteChannel)
}
