// Ferry: FerryStore
// The journal's third version: the order of a session's transfers.

extension JournalSchema {
    /// Eight bytes for each transfer, the highest first, in the order in which they get their turns.
    static let version3 = "ALTER TABLE sessions ADD COLUMN transfer_order BLOB;"
}
