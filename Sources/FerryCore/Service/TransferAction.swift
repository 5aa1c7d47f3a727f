// Ferry: FerryCore
// What can be done to transfers.

/// What can be done to a transfer.
package enum TransferAction: String, CaseIterable, Codable, Sendable {
    /// Stops it and keeps its bytes: once this returns, they are durable.
    case pause
    /// Lets it go on; one that waits for a retry tries at once.
    case resume
    /// Ends it and removes its partial file.
    case cancel
    /// Starts one that failed or was canceled again, from the bytes that it still has.
    case retry
    /// Forgets it; cancels it first if it has not ended. The finished file stays.
    case remove
    /// Forgets it and deletes the file that it fetched, if that is still the same file.
    case removeWithFile = "remove_with_file"
}
