import FerryCore

/// Request changes being stored, and whether their transfers finished meanwhile.
///
/// An outcome is decided on the stored row, so it includes a change committed before it. The queue may receive the
/// outcome before the change. The late change would then requeue a finished transfer.
struct ChangesUnderWay {
    /// Whether each transfer has finished since its change was handed to the journal.
    private var isOvertaken: [TransferID: Bool] = [:]

    /// Marks a change as being stored. A transfer has one change at a time.
    mutating func begin(_ id: TransferID) { isOvertaken[id] = false }

    /// Marks the transfer as finished or removed.
    mutating func overtake(_ id: TransferID) {
        if isOvertaken[id] != nil { isOvertaken[id] = true }
    }

    /// Marks the change as committed or given up.
    ///
    /// - Returns: Whether the transfer is still to apply it.
    mutating func end(_ id: TransferID) -> Bool { isOvertaken.removeValue(forKey: id) != true }
}
