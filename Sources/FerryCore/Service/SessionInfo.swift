// Ferry: FerryCore
// One session as every face shows it.

/// One session as every face shows it.
package struct SessionInfo: Hashable, Codable, Sendable {
    package var id: SessionID
    package var settings: SessionSettings
    /// How many transfers are in each state.
    package var transfers: [String: Int]

    package init(id: SessionID, settings: SessionSettings, transfers: [String: Int]) {
        self.id = id
        self.settings = settings
        self.transfers = transfers
    }
}
