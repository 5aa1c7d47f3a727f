import FerryCore

/// The transfers that go on with a batch, as they were found in their turns.
struct BatchStarts: Sendable {
    /// A request that is changed, and what it was.
    struct Change: Sendable {
        let changed: TransferRecord
        let old: TransferRecord
    }

    let ids: [TransferID]
    /// Those that have succeeded and whose files are gone, with the rows that say so.
    let gone: [TransferID: Revision]
    let circumstances: WishCircumstances
    let changes: [Change]
    let failures: [ActionResult]

    /// Stores the changes, which may give secrets again, and lets all go on.
    func begin(
        in session: SessionID, _ transaction: any JournalTransaction
    ) throws(TransferError) -> (begun: BegunTransfers, pending: [PendingTransfer]) {
        var gone = gone
        for change in changes {
            let id = change.changed.id
            let before = try transaction.record(id)?.revision
            try LocalTransferService.put(change.changed, replacing: change.old, transaction)
            // A file is gone whatever is changed here.
            guard let found = gone[id], found.number == before?.number else { continue }
            gone[id] = try transaction.record(id)?.revision
        }
        let begun = try transaction.begin(ids, of: session, circumstances, gone: gone)
        return (begun, try transaction.pending(begun.events.ids))
    }
}
