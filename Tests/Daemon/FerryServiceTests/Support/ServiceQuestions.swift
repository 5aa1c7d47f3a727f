import FerryCore
import FerryQueue
import FerryRules

@testable import FerryService

/// Questions of tests.
extension LocalTransferService {
    /// Transfers with a slot.
    var running: Running { queue.running }

    /// Transfers without a slot.
    var waitingTransfers: WaitingTransfers { queue.waitingTransfers }

    /// Whether an action on a transfer, or an operation that holds it, is in progress.
    func isOperatedOn(_ id: TransferID) -> Bool { queue.read { $0.isOperatedOn(id) } }

    /// Returns the stored record of a transfer.
    func existing(_ id: TransferID) async throws -> TransferRecord { try await journal.existing(id) }

    /// Fills all free slots.
    func schedule() { queue.schedule() }
}
