/// What calls have asked of a task and the daemon has not answered yet.
struct TaskCalls {
    /// What the task is shown as until the daemon answers: `willSuspend`, `willCancel` or `willRemove`.
    private(set) var shown: Status?
    /// What the removal of its record means, once a call has asked for that: canceled or removed.
    private(set) var departure: Status?
    /// Calls that end the task and have not been answered.
    private var leaving = 0
    /// Whether a download of the same URL was made while the task was about to leave.
    private var isReplaced = false
    /// Whether the task was stopped while it ran, and has not begun again.
    private(set) var hasStoppedRun = false
    /// Whether the record goes because no app needs it any more: to the app that is no end.
    private(set) var isForgotten = false

    /// Whether a call is about to end the task.
    var isLeaving: Bool { leaving > 0 }

    /// A call begins that does something to the task.
    ///
    /// - Returns: Whether the task is shown as something else by that, and whether the call ends it.
    mutating func begin(_ control: Control, stored: Status) -> (isShown: Bool, leaves: Bool) {
        guard let will = control.will else { return (false, false) }
        let leaves = control.departure != nil && control.concerns(stored)
        if leaves { leaving += 1 }
        guard stored == .running else { return (false, leaves) }
        shown = will
        return (true, leaves)
    }

    /// A call was answered that did something to the task.
    mutating func end(_ control: Control) {
        if let will = control.will, shown == will { shown = nil }
    }

    /// A call was answered that was about to end the task.
    mutating func endLeaving() { leaving -= 1 }

    /// The call is carried out: of several that end the task the first one says what its removal means.
    mutating func carryOut(_ control: Control) {
        if departure == nil { departure = control.departure }
    }

    /// The daemon has said that the task is in a state.
    mutating func came(to status: Status, from before: Status) {
        if before == .running { hasStoppedRun = [.suspended, .canceled, .removed].contains(status) }
        switch status {
        case .suspended: if shown == .willSuspend { shown = nil }
        case .succeeded, .failed, .canceled, .removed: shown = nil
        case .waiting, .running: hasStoppedRun = false
        case .willSuspend, .willCancel, .willRemove: break
        }
    }

    /// Whether a download of the same URL takes the task's place, as the task is about to leave.
    mutating func makeRoom() -> Bool {
        if isLeaving { isReplaced = true }
        return isLeaving
    }

    /// Lets the record be forgotten if another task has taken the place of this one; whether it is so.
    mutating func forgetIfReplaced() -> Bool {
        if isReplaced { isForgotten = true }
        return isReplaced
    }

    /// Lets the record be forgotten, as its app has all of it.
    mutating func forget() { isForgotten = true }
}
