/// A step in the life of a download, in the order of the crash table; a seam at which tests end the daemon.
package enum LifecycleStep: String, CaseIterable, Sendable {
    /// The request is in the journal; the client has no answer.
    case requestCommitted = "request_committed"
    case headAccepted = "head_accepted"
    /// The partial file exists; the journal does not know it.
    case partialMade = "partial_made"
    case identityCommitted = "identity_committed"
    /// Some bytes are written; none are synced.
    case bytesWritten = "bytes_written"
    case bytesSynced = "bytes_synced"
    case rangesCommitted = "ranges_committed"
    /// All bytes are synced and digests agree; no intent is recorded.
    case wholeVerified = "whole_verified"
    case intentCommitted = "intent_committed"
    case attributesSet = "attributes_set"
    /// A copy of a partial file in another file system has been begun beside the final name.
    case copyMade = "copy_made"
    /// The copy is whole and durable; no intent names it.
    case copySynced = "copy_synced"
    case renamed
    case folderSynced = "folder_synced"
    case outcomeCommitted = "outcome_committed"
    /// A restart is in the journal; the partial file is as it was.
    case restartCommitted = "restart_committed"
    /// A server has said where it keeps an upload; the journal does not know it.
    case uploadKnown = "upload_known"
    /// The upload resource is in the journal; no byte was sent since it is known.
    case uploadRecorded = "upload_recorded"
    /// A cancel is in the journal; the partial file is still there.
    case cancelCommitted = "cancel_committed"
    /// A batch of requests is checked; none of them is in the journal.
    case batchChecked = "batch_checked"
    /// An action on many is decided; nothing of it is in the journal.
    case actionBegins = "action_begins"
    /// An action on many is in the journal; what runs has not been stopped, and files have not been removed.
    case actionCommitted = "action_committed"
}
