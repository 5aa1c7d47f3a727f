import FerryCore
import Synchronization

/// What was asked for some tasks.
struct ControlCall: Sendable {
    let tasks: [DownloadTask]
    /// The tasks among them that the call ends.
    let leaving: [DownloadTask]
    let done: @Sendable (FerryError?) -> Void
}

/// Consecutive identical calls, merged until the first one starts: one transaction does all.
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

/// What of some calls could not be done.
struct ControlRefusals {
    /// Why nothing was done.
    private var whole: FerryError?
    private var single: [TransferID: FerryError] = [:]

    init(whole: FerryError? = nil) { self.whole = whole }

    init(_ results: [ActionResult]) {
        for result in results {
            // A record that is gone is what was asked for here, or by another process.
            guard let error = result.error, error.code != .unknownTransfer else { continue }
            single[result.id] = FerryError(error)
        }
    }

    /// Why the first of some tasks was refused; nil if none was.
    func error(of tasks: [DownloadTask]) -> FerryError? {
        if let whole { return whole }
        if single.isEmpty { return nil }
        for task in tasks {
            if let error = task.state.withLock(\.transfer).flatMap({ single[$0] }) { return error }
        }
        return nil
    }
}
