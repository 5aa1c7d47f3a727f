// Ferry: FerryCore
// What an action did to one transfer.

/// What an action did to one transfer.
package struct ActionResult: Hashable, Codable, Sendable {
    package var id: TransferID
    /// The state afterwards; nil once it is removed or if the action failed.
    package var state: TransferState?
    package var error: TransferError?

    package init(id: TransferID, state: TransferState? = nil, error: TransferError? = nil) {
        self.id = id
        self.state = state
        self.error = error
    }
}
