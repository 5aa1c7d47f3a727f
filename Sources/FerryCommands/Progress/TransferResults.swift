// Ferry: FerryCommands
// How followed transfers ended.

import FerryClient
import FerryCore

/// Keeps how each of some transfers stands, and what that means for the exit status.
actor TransferResults {
    private(set) var transfers: [TransferID: Transfer] = [:]

    func take(_ update: FollowUpdate) {
        switch update {
        case .event(let event): if let transfer = event.transfer { transfers[transfer.id] = transfer }
        case .snapshot(let transfer): take(transfer)
        case .removed(let id):
            // Whoever waits for a file that nobody fetches any longer is told that it was canceled.
            if let transfer = transfers[id], !transfer.state.isEnded { transfers[id]?.state = .canceled }
        case .interrupted: break
        }
    }

    func take(_ transfer: Transfer) { transfers[transfer.id] = transfer }
}

extension Transfer {
    /// Exit status for having waited for this transfer.
    var exitStatus: Int32 {
        switch state {
        case .succeeded: 0
        case .canceled: ErrorCode.canceled.row.exitStatus
        case .failed: (error?.code ?? .internal).row.exitStatus
        case .waiting, .running, .suspended, .unknown: 0
        }
    }
}
