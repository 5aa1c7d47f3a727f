import Foundation
import FoundationNetworking

/// Everything about a task that changes; in one lock of the task. Small, since apps make tasks by the ten thousand.
struct TaskStorage {
    var ledger = TaskLedger()
    var description: String?
    var originalRequest: URLRequest?
    /// Nil as long as it is the original one.
    var currentRequest: URLRequest?
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
    /// What a completion handler gets; grows while data arrive.
    var collected = Data()
    /// The file that a delegate was given and has left where it was.
    var leftFile: TemporaryFile?
    /// Whether a completion handler has got its file. The task's completion then calls neither a handler nor the delegate.
    var hasDelivered = false

    /// Releases the objects and data that a task keeps until it has completed.
    mutating func release() {
        delegate = nil
        handler = nil
        transport = nil
        collected = Data()
    }
}

/// A file that is there as long as an object that uses it.
final class TemporaryFile: Sendable {
    private let path: String

    init(_ path: String) { self.path = path }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A task's bytes.
struct TaskCounts: Hashable, Sendable {
    var sent: Int64 = 0
    var received: Int64 = 0
    var expectedToSend: Int64 = 0
    var expectedToReceive: Int64 = -1
    var clientExpectsToSend: Int64 = -1
    var clientExpectsToReceive: Int64 = -1
}

/// Takes a task's result in place of the delegate.
enum TaskHandler: Sendable {
    case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
    case file(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    /// The file stays where it is: the caller takes it over.
    case keptFile(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
    case bytes(ByteChannel)
}
