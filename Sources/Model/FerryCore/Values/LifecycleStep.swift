/// A step in the life of a download, in the order of the crash table. Tests kill the daemon at these steps.
package enum LifecycleStep: String, CaseIterable, Sendable {
    /// The request is in the journal. The client has no response yet.
    case requestCommitted = "request_committed"
    /// The journal knows that a request that must not be repeated is about to be sent. No byte of it has left.
    case requestAnnounced = "request_announced"
    case headAccepted = "head_accepted"
    /// The partial file exists. The journal does not know it.
    case partialMade = "partial_made"
    case identityCommitted = "identity_committed"
    /// Some bytes are written, none synced.
    case bytesWritten = "bytes_written"
    case bytesSynced = "bytes_synced"
    case rangesCommitted = "ranges_committed"
    /// All bytes are synced and verified. No intent is recorded.
    case wholeVerified = "whole_verified"
    case intentCommitted = "intent_committed"
    case attributesSet = "attributes_set"
    /// A copy to another file system has been started beside the final name.
    case copyMade = "copy_made"
    /// The copy is complete and durable. No intent names it.
    case copySynced = "copy_synced"
    case renamed
    case folderSynced = "folder_synced"
    case outcomeCommitted = "outcome_committed"
    /// A restart is in the journal. The partial file is unchanged.
    case restartCommitted = "restart_committed"
    /// The server has returned an upload resource. The journal does not know it.
    case uploadKnown = "upload_known"
    /// The upload resource is in the journal. No byte has been sent since.
    case uploadRecorded = "upload_recorded"
    /// A cancellation is in the journal. The partial file still exists.
    case cancelCommitted = "cancel_committed"
    /// A batch is validated. Nothing is in the journal.
    case batchChecked = "batch_checked"
    /// An action on many transfers is decided. Nothing is in the journal.
    case actionBegins = "action_begins"
    /// An action on many transfers is in the journal. Runs have not stopped, and files still exist.
    case actionCommitted = "action_committed"
}
