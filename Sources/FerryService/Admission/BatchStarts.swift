import FerryCore
import Foundation

/// The transfers to resume or restart with a batch. They are held.
struct BatchStarts: Sendable {
    /// The result of starting them.
    struct Begun: Sendable {
        /// A changed request, with its former record.
        struct Change: Sendable {
            let changed: TransferRecord
            let old: TransferRecord
        }

        let transfers: BegunTransfers
        let pending: [PendingTransfer]
        let changes: [Change]
        /// Changes that failed.
        let failures: [ActionResult]
    }

    let ids: [TransferID]
    /// Succeeded transfers with missing files.
    let gone: [TransferID: Outcome]
    let circumstances: BulkCommandSituation
    /// Changes to apply before the transfers start.
    let changes: [(id: TransferID, change: TransferChange)]
    let failures: [ActionResult]

    /// Stores the changes, including new secrets, and starts all transfers.
    ///
    /// Each change is applied to the row as it is in this transaction.
    func begin(in session: SessionID, _ transaction: any JournalTransaction) throws(ServiceError) -> Begun {
        var changes: [Begun.Change] = []
        var failures: [ActionResult] = []
        for (id, change) in self.changes {
            guard let old = try transaction.record(id), old.request.session == session else { continue }
            let changed: TransferRecord
            do throws(ServiceError) {
                changed = try change.applied(
                    to: old, isRunning: circumstances.running.contains(id), now: circumstances.now.wall)
            } catch {
                failures.append(ActionResult(id: id, error: error))
                continue
            }
            guard changed.request != old.request, try transaction.put(changed, replacing: old) else { continue }
            changes.append(Begun.Change(changed: changed, old: old))
        }
        let begun = try transaction.begin(ids, of: session, circumstances, gone: gone)
        return Begun(
            transfers: begun, pending: try transaction.pending(begun.events.ids), changes: changes, failures: failures)
    }
}
