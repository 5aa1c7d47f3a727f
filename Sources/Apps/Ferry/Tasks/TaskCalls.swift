/// Calls on a task that the daemon has not answered yet.
struct TaskCalls {
    /// The displayed status until the daemon responds: `willSuspend`, `willCancel` or `willRemove`.
    private(set) var shown: Status?
    /// The final status after removal of its record, once requested: canceled or removed.
    private(set) var departure: Status?
    /// Number of pending calls that end the task.
    private var leaving = 0
    /// Whether a download of the same URL was created while this task was being ended.
    private var isReplaced = false
    /// Whether the task was stopped while running, and has not restarted.
    private(set) var hasStoppedRun = false
    /// Whether the record is removed because no app needs it. To the app this is not an end.
    private(set) var isForgotten = false

    /// Whether a call is about to end the task.
    var isLeaving: Bool { leaving > 0 }

    /// Records that a call begins.
    ///
    /// - Returns: Whether the displayed status changes, and whether the call ends the task.
    mutating func begin(_ control: Control, stored: Status) -> (isShown: Bool, leaves: Bool) {
        guard let will = control.will else { return (false, false) }
        let leaves = control.departure != nil && control.concerns(stored)
        if leaves { leaving += 1 }
        guard stored == .running else { return (false, leaves) }
        shown = will
        return (true, leaves)
    }

    /// Records that a call has finished.
    mutating func end(_ control: Control) {
        if let will = control.will, shown == will { shown = nil }
    }

    /// Records that a call that was to end the task has finished.
    mutating func endLeaving() { leaving -= 1 }

    /// Records that a call is being performed. Of several calls that end the task, the first determines the final
    /// status.
    mutating func carryOut(_ control: Control) {
        if departure == nil { departure = control.departure }
    }

    /// Records a status reported by the daemon.
    mutating func came(to status: Status, from before: Status) {
        if before == .running { hasStoppedRun = [.suspended, .canceled, .removed].contains(status) }
        switch status {
        case .suspended: if shown == .willSuspend { shown = nil }
        case .succeeded, .failed, .canceled, .removed: shown = nil
        case .waiting, .running: hasStoppedRun = false
        case .willSuspend, .willCancel, .willRemove: break
        }
    }

    /// Whether a download of the same URL replaces this task, which is being ended.
    mutating func makeRoom() -> Bool {
        if isLeaving { isReplaced = true }
        return isLeaving
    }

    /// Allows the record to be removed if another task has replaced this one. Returns whether it has.
    mutating func forgetIfReplaced() -> Bool {
        if isReplaced { isForgotten = true }
        return isReplaced
    }

    /// Allows the record to be removed, since the app has its result.
    mutating func forget() { isForgotten = true }
}
