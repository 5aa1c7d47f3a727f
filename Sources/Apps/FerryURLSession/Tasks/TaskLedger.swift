/// A task's state machine. A pure value: each event returns the action to perform.
///
/// ```
///   suspended ──resumed──→ running ──suspended──→ suspended
///   any but completed ──cancelled──→ canceling ──completed──→ completed
/// ```
struct TaskLedger: Hashable, Sendable {
    /// The action to perform after an event.
    enum Action: Hashable, Sendable {
        case none
        /// Start or resume the transport.
        case resume
        case suspend
        case cancel
    }

    /// The suspend count. A task starts with 1.
    private(set) var suspends = 1
    /// Whether the task was ever resumed.
    private(set) var hasStarted = false
    private(set) var isCancelled = false
    private(set) var isCompleted = false
    /// Whether the work failed or was canceled in an earlier process, with the completion yet to be delivered.
    private let hasEndedBefore: Bool

    /// Restores the state of an earlier process's task.
    init(suspends: Int = 1, hasStarted: Bool = false, hasEndedBefore: Bool = false) {
        self.suspends = suspends
        self.hasStarted = hasStarted
        self.hasEndedBefore = hasEndedBefore
    }

    /// The state shown to the app.
    var shownState: URLSessionTask.State { hasEndedBefore ? .completed : state }

    /// The state according to the events delivered to the delegate.
    var state: URLSessionTask.State {
        if isCompleted { return .completed }
        if isCancelled { return .canceling }
        return suspends > 0 ? .suspended : .running
    }

    mutating func resumed() -> Action {
        guard !isCompleted, !isCancelled, suspends > 0 else { return .none }
        suspends -= 1
        guard suspends == 0 else { return .none }
        hasStarted = true
        return .resume
    }

    mutating func suspended() -> Action {
        guard !isCompleted, !isCancelled else { return .none }
        suspends += 1
        return suspends == 1 ? .suspend : .none
    }

    mutating func cancelled() -> Action {
        guard !isCompleted, !isCancelled else { return .none }
        isCancelled = true
        return .cancel
    }

    /// - Returns: Whether the task had not completed before.
    mutating func completed() -> Bool {
        guard !isCompleted else { return false }
        isCompleted = true
        return true
    }
}
