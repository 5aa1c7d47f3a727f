import FerryCore

/// One caller's share of a transaction that is still to come.
struct PendingCommit: Sendable {
    /// What a body did, and how to tell its caller once that is durable.
    struct Performed: Sendable {
        /// Whether the body's changes stay; a body that threw is undone.
        let isKept: Bool
        let tell: @Sendable () -> Void
    }

    /// Makes the changes; called again where they have to be undone and made anew.
    let perform: @Sendable (SQLiteTransaction) -> Performed
    /// Tells the caller that nothing of it was committed. Called instead of what ``perform`` returned, never beside it.
    let fail: @Sendable (TransferError) -> Void
}
