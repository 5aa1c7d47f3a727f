/// A task's state, and the action that follows from each event. Performs nothing.
///
/// ```
///   suspended ──resumed──→ running ──suspended──→ suspended
///   any but completed ──cancelled──→ canceling ──completed──→ completed
/// ```
struct TaskLedger: Hashable, Sendable {
    /// What the shell does after an event.
    enum Action: Hashable, Sendable {
        case none
        /// The transport starts or goes on.
        case resume
        case suspend
        case cancel
    }

    /// Suspends that no resume has made up for; a task begins with one.
    private(set) var suspends = 1
    /// Whether the task was ever resumed.
    private(set) var hasStarted = false
    private(set) var isCancelled = false
    private(set) var isCompleted = false
    /// Whether the work had failed or was canceled before this process knew the task, whose completion is still to be told.
    private let hasEndedBefore: Bool

    /// A task of an earlier process, as it was there.
    init(suspends: Int = 1, hasStarted: Bool = false, hasEndedBefore: Bool = false) {
        self.suspends = suspends
        self.hasStarted = hasStarted
        self.hasEndedBefore = hasEndedBefore
    }

    /// The state as an app sees it.
    var shownState: URLSessionTask.State { hasEndedBefore ? .completed : state }

    /// The state by what the delegate was told.
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

    /// - Returns: whether the task had not completed before.
    mutating func completed() -> Bool {
        guard !isCompleted else { return false }
        isCompleted = true
        return true
    }
}
