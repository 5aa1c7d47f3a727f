package import FerryCore
package import FerryRules
import FerryFoundation

/// The transfers to resume or restart with a batch.
package struct BatchStarts: Sendable {
    package let session: SessionID
    package let ids: [TransferID]
    /// Succeeded transfers with missing files.
    package let gone: [TransferID: Outcome]
    /// Changes to apply before the transfers start.
    package let changes: [(id: TransferID, change: TransferChange)]
    /// The errors for ids that the session does not have.
    package let failures: [ActionResult]

    package init(
        session: SessionID, ids: [TransferID], gone: [TransferID: Outcome],
        changes: [(id: TransferID, change: TransferChange)], failures: [ActionResult]
    ) {
        self.session = session
        self.ids = ids
        self.gone = gone
        self.changes = changes
        self.failures = failures
    }
}

/// The transfers to start with a batch, held for its commit.
package struct HeldStarts: Sendable {
    /// The result of starting them.
    package struct Begun: Sendable {
        /// A changed request, with its former record.
        package struct Change: Sendable {
            package let changed: TransferRecord
            package let old: TransferRecord
        }

        package let events: EventRun
        package let pending: [PendingTransfer]
        package let changes: [Change]
        /// The errors of the transfers that did not start, or whose change failed.
        package let failures: [ActionResult]
    }

    package let starts: BatchStarts
    package let ids: [TransferID]
    /// Transfers that are not held: their runs have not stopped, because their disks do not respond.
    package let late: Set<TransferID>
    package let situation: BulkCommandSituation

    package init(starts: BatchStarts, ids: [TransferID], late: Set<TransferID>, situation: BulkCommandSituation) {
        self.starts = starts
        self.ids = ids
        self.late = late
        self.situation = situation
    }

    /// Stores the changes, including new secrets, and starts the held transfers.
    ///
    /// Each change is applied to the row as it is in this transaction.
    package func begin(in transaction: any JournalTransaction) throws(ServiceError) -> Begun {
        var changes: [Begun.Change] = []
        var failures = starts.failures + late.sorted().map { ActionResult(id: $0, error: .stillStopping($0)) }
        for (id, change) in starts.changes where !late.contains(id) {
            guard let old = try transaction.record(id), old.request.session == starts.session else { continue }
            let changed: TransferRecord
            do throws(ServiceError) {
                changed = try change.applied(
                    to: old, in: situation.running.contains(id) ? .placing : nil, now: situation.now.wall)
            } catch {
                failures.append(ActionResult(id: id, error: error))
                continue
            }
            guard changed.request != old.request, try transaction.put(changed, replacing: old) else { continue }
            changes.append(Begun.Change(changed: changed, old: old))
        }
        let begun = try transaction.begin(ids, of: starts.session, situation, gone: starts.gone)
        failures += begun.lacking.map { ActionResult(id: $0, error: TransferRecord.lacksSecrets($0)) }
        failures += begun.postponed.map { ActionResult(id: $0, error: .stillStopping($0)) }
        return Begun(
            events: begun.events, pending: try transaction.pending(begun.events.ids), changes: changes,
            failures: failures)
    }
}
