import FerryCore

/// Requests whose change is being stored, and whether their transfers have ended meanwhile.
///
/// An end is decided on what is stored, so that it knows a change that was stored before it. The queue may be told of the end
/// first: what is told of the change afterwards would put a transfer into line that has ended.
struct ChangesUnderWay {
    /// Whether the transfer has ended since the change was handed to the journal.
    private var isOvertaken: [TransferID: Bool] = [:]

    /// A change goes to the journal. One transfer has one change at a time.
    mutating func begin(_ id: TransferID) { isOvertaken[id] = false }

    /// The transfer has ended, or is gone.
    mutating func overtake(_ id: TransferID) {
        if isOvertaken[id] != nil { isOvertaken[id] = true }
    }

    /// The change is stored, or was given up.
    ///
    /// - Returns: Whether the transfer is still to follow it.
    mutating func end(_ id: TransferID) -> Bool { isOvertaken.removeValue(forKey: id) != true }
}
