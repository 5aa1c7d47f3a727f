// Ferry: Ferry
// What the daemon did not do.

import FerryCore
import Synchronization

/// What of some calls could not be done.
struct ControlRefusals {
    /// Why nothing was done.
    private var whole: FerryError?
    private var single: [TransferID: FerryError] = [:]

    init(whole: FerryError? = nil) { self.whole = whole }

    init(_ results: [ActionResult]) {
        for result in results {
            // A record that is gone is what was asked for, or what somebody else asked for.
            guard let error = result.error, error.code != .unknownTransfer else { continue }
            single[result.id] = FerryError(error)
        }
    }

    /// Why the first of some tasks was refused; nil if none was.
    func error(of tasks: [DownloadTask]) -> FerryError? {
        if let whole { return whole }
        if single.isEmpty { return nil }
        return tasks.lazy.compactMap { $0.state.withLock(\.transfer) }.compactMap { single[$0] }.first
    }
}
