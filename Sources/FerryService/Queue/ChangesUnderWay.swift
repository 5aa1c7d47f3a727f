import FerryCore

/// Request changes being stored, and whether their transfers finished meanwhile.
///
/// An outcome is decided on the stored row, so it includes a change committed before it. The queue may receive the
/// outcome before the change. The late change would then requeue a finished transfer.
struct ChangesUnderWay {
    private struct Change {
        /// The transfer, taken out of its queue, if it must not start meanwhile.
        let withheld: WaitingTransfers.TakenOut?
        /// Whether the transfer has finished since its change was handed to the journal.
        var isOvertaken = false
    }

    private var changes: [TransferID: Change] = [:]

    /// Marks a change as being stored. A transfer has one change at a time.
    mutating func begin(_ id: TransferID, withholding withheld: WaitingTransfers.TakenOut?) {
        changes[id] = Change(withheld: withheld)
    }

    /// Marks the transfer as finished or removed.
    mutating func overtake(_ id: TransferID) { changes[id]?.isOvertaken = true }

    /// Marks the change as committed or given up.
    ///
    /// - Returns: Whether the transfer is still to apply it, and its place in its queue.
    mutating func end(_ id: TransferID) -> (applies: Bool, withheld: WaitingTransfers.TakenOut?) {
        guard let change = changes.removeValue(forKey: id) else { return (true, nil) }
        return change.isOvertaken ? (false, nil) : (true, change.withheld)
    }
}
