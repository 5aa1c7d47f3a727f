import FerryCore
import Foundation

/// The transfers that go on with a batch, as they were found in their turns.
struct BatchStarts: Sendable {
    /// What has become of them.
    struct Begun: Sendable {
        /// A request that was changed, and what it was.
        struct Change: Sendable {
            let changed: TransferRecord
            let old: TransferRecord
        }

        let transfers: BegunTransfers
        let pending: [PendingTransfer]
        let changes: [Change]
        /// Changes that cannot be made.
        let failures: [ActionResult]
    }

    let ids: [TransferID]
    /// The successes whose files are gone.
    let gone: [TransferID: Outcome]
    let circumstances: BulkCommandSituation
    /// What is changed before they go on.
    let changes: [(id: TransferID, change: TransferChange)]
    let failures: [ActionResult]

    /// Stores the changes, which may give secrets again, and lets all go on.
    ///
    /// What a change makes of a transfer is decided from the row that it is stored in.
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
