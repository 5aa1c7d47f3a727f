/// A step of the group commit.
enum JournalStep: Hashable, Sendable {
    /// A caller's body waits for its transaction.
    case queued
    /// A transaction of this many bodies begins.
    case begins(bodies: Int)
    /// All bodies ran; the transaction is about to be committed.
    case commits(bodies: Int)
}

/// Told of every step; an SQLite result code that it returns fails the transaction there, as that failure would.
typealias JournalProbe = @Sendable (JournalStep) -> Int32?
