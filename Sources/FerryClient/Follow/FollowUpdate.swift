package import FerryCore

/// What a follower of transfers is told.
package enum FollowUpdate: Sendable {
    /// Something happened.
    case event(TransferEvent)
    /// How a transfer stands, found by asking: at the start and after an interruption.
    case snapshot(Transfer)
    /// A transfer was removed, so that nothing more will be told of it.
    case removed(TransferID)
    /// The daemon went away; the follower goes on with the next one.
    case interrupted(TransferError)
}
