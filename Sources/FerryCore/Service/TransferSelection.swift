// Ferry: FerryCore
// Which transfers an action is for.

/// Which transfers an action is for.
package struct TransferSelection: Hashable, Codable, Sendable {
    /// The named ones; nil is all that the session filter lets through.
    package var ids: [TransferID]?
    package var session: SessionID?

    package init(ids: [TransferID]? = nil, session: SessionID? = nil) {
        self.ids = ids
        self.session = session
    }
}
