import FerryCore
import Synchronization

/// A call that controls some tasks.
struct ControlCall: Sendable {
    let tasks: [DownloadTask]
    /// The tasks that the call cancels or removes.
    let leaving: [DownloadTask]
    let done: @Sendable (FerryError?) -> Void
}

/// Consecutive identical calls, merged into one transaction until the first one starts.
final class ControlGroup: Sendable {
    private let control: Control
    private let isPatient: Bool
    private let own: Mutex<[ControlCall]>

    init(_ control: Control, isPatient: Bool, _ call: ControlCall) {
        self.control = control
        self.isPatient = isPatient
        own = Mutex([call])
    }

    /// The calls in order.
    var calls: [ControlCall] { own.withLock { $0 } }

    /// Appends the calls of another group. Returns false if its control differs.
    func absorb(_ other: ControlGroup) -> Bool {
        guard other.control == control, other.isPatient == isPatient else { return false }
        let calls = other.calls
        own.withLock { $0 += calls }
        return true
    }
}

/// The failures of some calls.
struct ControlRefusals {
    /// Why nothing was done.
    private var whole: FerryError?
    private var single: [TransferID: FerryError] = [:]

    init(whole: FerryError? = nil) { self.whole = whole }

    init(_ results: [ActionResult]) {
        for result in results {
            // A missing record was removed by this call or by another process.
            guard let error = result.error, error.code != .unknownTransfer else { continue }
            single[result.id] = FerryError(error)
        }
    }

    /// Returns the first failure among some tasks, or nil.
    func error(of tasks: [DownloadTask]) -> FerryError? {
        if let whole { return whole }
        if single.isEmpty { return nil }
        for task in tasks {
            if let error = task.state.withLock(\.transfer).flatMap({ single[$0] }) { return error }
        }
        return nil
    }
}
