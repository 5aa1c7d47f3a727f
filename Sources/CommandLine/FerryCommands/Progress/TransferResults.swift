import FerryClient
import FerryCore

/// The states of some transfers, and the resulting exit status.
actor TransferResults {
    private(set) var transfers: [TransferID: Transfer] = [:]
    /// Transfers without known state that were removed or have succeeded, with their exit status.
    private var others: [TransferID: Int32] = [:]

    func take(_ update: FollowUpdate) {
        switch update {
        case .event(let event):
            if let transfer = event.transfer {
                transfers[transfer.id] = transfer
            } else if event.kind == .succeeded {
                others[event.id] = 0
            }
        case .snapshot(let transfer): take(transfer)
        case .removed(let id):
            // A removed transfer fetches nothing more, so a waiting command reports it as canceled.
            if let transfer = transfers[id] {
                if !transfer.state.isEnded { transfers[id]?.state = .canceled }
            } else if others[id] == nil {
                others[id] = ErrorCode.canceled.row.exitStatus
            }
        case .interrupted: break
        }
    }

    /// Whether a transfer is finished or removed.
    func hasEnded(_ id: TransferID) -> Bool { others[id] != nil || transfers[id]?.state.isEnded == true }

    /// Exit status for a transfer.
    func exitStatus(_ id: TransferID) -> Int32 { others[id] ?? transfers[id]?.exitStatus ?? 0 }

    func take(_ transfer: Transfer) { transfers[transfer.id] = transfer }
}

extension Transfer {
    /// Exit status for this transfer.
    var exitStatus: Int32 {
        switch state {
        case .succeeded: 0
        case .canceled: ErrorCode.canceled.row.exitStatus
        case .failed: (error?.code ?? .internal).row.exitStatus
        case .waiting, .running, .suspended, .unknown: 0
        }
    }
}
