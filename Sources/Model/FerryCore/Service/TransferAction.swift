/// An action on a transfer.
package enum TransferAction: String, CaseIterable, Codable, Sendable {
    /// Stops it and keeps its bytes, which are durable when the call returns.
    case pause
    /// Resumes it. A transfer waiting for a retry is attempted at once.
    case resume
    /// Cancels it and removes its partial file.
    case cancel
    /// Restarts a failed or canceled transfer with its remaining bytes.
    case retry
    /// Removes it, after canceling it if unfinished. The finished file stays.
    case remove
    /// Removes it and deletes its finished file, if that is unchanged.
    case removeWithFile = "remove_with_file"

    /// Whether a running transfer must stop for it.
    package var isStop: Bool { self != .resume && self != .retry }

    /// Whether it ends the transfer permanently.
    package var isEnd: Bool { isStop && self != .pause }
}

/// The transfers of an action.
package struct TransferSelection: Hashable, Codable, Sendable {
    /// The listed transfers. Nil means all that match the session filter.
    package var ids: [TransferID]?
    package var session: SessionID?

    package init(ids: [TransferID]? = nil, session: SessionID? = nil) {
        self.ids = ids
        self.session = session
    }
}

/// The outcome of an action for one transfer.
package struct ActionResult: Hashable, Codable, Sendable {
    package var id: TransferID
    /// The state afterwards, or nil if it was removed or the action failed.
    package var state: TransferState?
    package var error: ServiceError?

    package init(id: TransferID, state: TransferState? = nil, error: ServiceError? = nil) {
        self.id = id
        self.state = state
        self.error = error
    }
}
