public import Foundation
public import FoundationNetworking
import Synchronization

/// A task of a session, such as a download. Created by the session in the suspended state.
///
/// Every method and property may be used from any thread. Behaves as Apple's `URLSessionTask`.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {  // SAFETY: state in a Mutex
    public enum State: Int, Sendable { case running = 0, suspended, canceling, completed }

    /// The default priority, 0.5.
    public static let defaultPriority: Float = 0.5
    /// The low priority, 0.25.
    public static let lowPriority: Float = 0.25
    /// The high priority, 0.75.
    public static let highPriority: Float = 0.75

    let storage: Mutex<TaskStorage>
    private let identifier: Int
    let createdAt = Date()
    /// Nil for tasks that a test has created itself.
    let session: URLSession?
    let work: TaskWork?

    /// Creates a task without a session, for subclasses in tests.
    @available(*, deprecated, message: "tasks are made by a session")
    public override init() {
        storage = Mutex(TaskStorage())
        identifier = 0
        session = nil
        work = nil
        super.init()
    }

    init(_ identifier: Int, of session: URLSession, work: TaskWork, handler: TaskHandler? = nil) {
        self.identifier = identifier
        self.session = session
        self.work = work
        var start = TaskStorage()
        start.requests.original = work.request
        start.handler = handler
        storage = Mutex(start)
        super.init()
    }

    // MARK: Properties

    /// The task's number in its session. Starts at 1 and is never reused.
    open var taskIdentifier: Int { identifier }

    /// The app's description of the task. Stored with tasks of background sessions.
    open var taskDescription: String? {
        get { storage.withLock(\.description) }
        set {
            storage.withLock { $0.description = newValue }
            transport?.update(.description(newValue))
        }
    }

    /// The task's state. A failed or canceled task of an earlier process is completed, with its error, even before its
    /// completion is delivered.
    open var state: State { storage.withLock(\.ledger.shownState) }
    open var error: (any Error)? { storage.withLock(\.error) }
    open var originalRequest: URLRequest? { storage.withLock(\.requests.original) }
    /// The current request, which changes with redirects.
    open var currentRequest: URLRequest? { storage.withLock { $0.requests.current ?? $0.requests.original } }
    open var response: URLResponse? { storage.withLock(\.response) }

    /// The task's delegate. Takes precedence over the session's, and is released once the task has completed. Not for
    /// background sessions.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { storage.withLock(\.delegate) }
        set {
            if session?.kind == .background {
                precondition(newValue == nil, "Task delegates are not supported in background sessions.")
                return
            }
            let hasStarted = storage.withLock { storage in
                if !storage.ledger.hasStarted { storage.delegate = newValue }
                return storage.ledger.hasStarted
            }
            precondition(!hasStarted, "Cannot set task delegate after resumption")
        }
    }

    /// The earliest date at which the task begins. Background sessions only.
    open var earliestBeginDate: Date? {
        get { storage.withLock(\.earliestBeginDate) }
        set {
            storage.withLock { $0.earliestBeginDate = newValue }
            transport?.update(.earliestBeginDate(newValue))
        }
    }

    /// The priority, from 0 to 1. Determines the order in which a session's waiting tasks start.
    open var priority: Float {
        get { storage.withLock(\.priority) }
        set {
            storage.withLock { $0.priority = newValue }
            transport?.update(.priority(newValue))
        }
    }

    /// Kept for compatibility; no effect.
    open var prefersIncrementalDelivery: Bool {
        get { storage.withLock(\.prefersIncrementalDelivery) }
        set { storage.withLock { $0.prefersIncrementalDelivery = newValue } }
    }

    // MARK: Bytes

    /// The app's estimate of the bytes to send; -1 if unknown.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { storage.withLock(\.counts.clientExpectsToSend) }
        set { storage.withLock { $0.counts.clientExpectsToSend = newValue } }
    }

    /// The app's estimate of the bytes to receive; -1 if unknown.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { storage.withLock(\.counts.clientExpectsToReceive) }
        set { storage.withLock { $0.counts.clientExpectsToReceive = newValue } }
    }

    open var countOfBytesSent: Int64 { storage.withLock(\.counts.sent) }
    open var countOfBytesReceived: Int64 { storage.withLock(\.counts.received) }
    open var countOfBytesExpectedToSend: Int64 { storage.withLock(\.counts.expectedToSend) }
    /// -1 while unknown.
    open var countOfBytesExpectedToReceive: Int64 { storage.withLock(\.counts.expectedToReceive) }

    /// The task's progress. Canceling, pausing or resuming it acts on the task.
    open var progress: Progress {
        storage.withLock { storage in
            if let progress = storage.progress { return progress }
            let isDone = storage.ledger.isCompleted && storage.error == nil
            let progress = makeProgress(isDone ? storage.counts.finalUnits : storage.counts.units)
            storage.progress = progress
            return progress
        }
    }

    // MARK: Control

    /// Cancels the task, which completes with `URLError.cancelled`. Does nothing if the task has completed.
    open func cancel() { perform(storage.withLock { $0.ledger.cancelled() }) }

    /// Suspends the task until the matching number of `resume()` calls. Only data already in flight may still be
    /// delivered.
    open func suspend() { perform(storage.withLock { $0.ledger.suspended() }) }

    /// Starts or resumes the task. In a background session, returns once the task is stored on disk.
    open func resume() { perform(storage.withLock { $0.ledger.resumed() }) }

    private func perform(_ action: TaskLedger.Action) {
        switch action {
        case .none: break
        case .resume: readyTransport()?.resume()
        case .suspend: transport?.suspend()
        case .cancel: readyTransport()?.cancel()
        }
    }

    // MARK: NSCopying

    /// Returns the task itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

extension URLSessionTask {
    var transport: (any TaskTransport)? { storage.withLock(\.transport) }

    /// The state according to the events delivered to the delegate.
    var reportedState: State { storage.withLock(\.ledger.state) }

    /// Returns the transport, creating it if needed.
    func readyTransport() -> (any TaskTransport)? {
        let (known, isCompleted) = storage.withLock { ($0.transport, $0.ledger.isCompleted) }
        if let known { return known }
        // A completed task has released its transport and needs no other.
        guard let session, let work, !isCompleted else { return nil }
        let made = session.engine.transport(for: self, work: work, relay: TaskRelay(self, of: session))
        return storage.withLock { storage in
            if let transport = storage.transport { return transport }
            storage.transport = made
            return made
        }
    }

    private func makeProgress(_ units: (completed: Int64, total: Int64)) -> Progress {
        let progress = Progress(totalUnitCount: units.total)
        progress.completedUnitCount = units.completed
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.suspend() }
        progress.resumingHandler = { [weak self] in self?.resume() }
        return progress
    }
}
