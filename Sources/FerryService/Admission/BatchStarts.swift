// Ferry: FerryService
// The transfers that go on with a batch.

import FerryCore

/// The transfers that go on with a batch, as they were found in their turns.
struct BatchStarts: Sendable {
    /// A request that is changed, and what it was.
    struct Change: Sendable {
        let changed: TransferRecord
        let old: TransferRecord
    }

    let ids: [TransferID]
    /// Those that have succeeded and are fetched again, as they are to start.
    let anew: [TransferRecord]
    /// Those whose time has not come.
    let delayed: [TransferID]
    let changes: [Change]
    let failures: [ActionResult]
    let moment = ActiveTime.Instant.now

    /// Stores the changes, which may give secrets again, and lets all go on.
    func begin(
        in session: SessionID, _ transaction: any JournalTransaction
    ) throws(TransferError) -> (begun: BegunTransfers, pending: [PendingTransfer]) {
        for change in changes { try LocalTransferService.put(change.changed, replacing: change.old, transaction) }
        let begun = try transaction.begin(ids, of: session, delayed: delayed, anew: anew, at: moment)
        return (begun, try transaction.pending(begun.events.ids))
    }
}
