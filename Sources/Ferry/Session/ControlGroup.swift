// Ferry: Ferry
// Calls that do the same to tasks, one after the other.

import Synchronization

/// What was asked for some tasks.
struct ControlCall: Sendable {
    let tasks: [DownloadTask]
    /// Those of them that it ends.
    let leaving: [DownloadTask]
    let done: @Sendable (FerryError?) -> Void
}

/// Calls that do the same to tasks and follow each other: as long as the first has not begun, one transaction does all.
final class ControlGroup: Sendable {
    private let control: Control
    private let isPatient: Bool
    private let own: Mutex<[ControlCall]>

    init(_ control: Control, isPatient: Bool, _ call: ControlCall) {
        self.control = control
        self.isPatient = isPatient
        own = Mutex([call])
    }

    /// In their order.
    var calls: [ControlCall] { own.withLock { $0 } }

    /// Takes the calls of another group to its end; false if they do something else.
    func takeUp(_ other: ControlGroup) -> Bool {
        guard other.control == control, other.isPatient == isPatient else { return false }
        let calls = other.calls
        own.withLock { $0 += calls }
        return true
    }
}
