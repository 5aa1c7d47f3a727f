// Ferry: FerryCore
// Which transfers a list shows.

/// Which transfers a list shows, and which page of it.
package struct TransferQuery: Hashable, Codable, Sendable {
    package var session: SessionID?
    package var states: [TransferState] = []
    package var tag: String?
    /// Shows only transfers after this one, in the order of submission.
    package var after: TransferID?
    /// 1 to 1000.
    package var limit = 100
    /// Whether the newest come first; `after` then means before.
    package var newestFirst = false

    package init() {}
}
