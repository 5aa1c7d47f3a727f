package import FerryFoundation

/// The status of the service.
package struct ServiceStatus: Hashable, Codable, Sendable {
    package var version: String
    package var pid: Int32
    package var startedAt: Date
    /// Number of transfers in each state.
    package var transfers: [String: Int]
    /// Number of the latest durable event.
    package var lastEvent: Int64
    /// Problems that the user should know about.
    package var warnings: [String]

    package init(
        version: String, pid: Int32, startedAt: Date, transfers: [String: Int], lastEvent: Int64, warnings: [String]
    ) {
        self.version = version
        self.pid = pid
        self.startedAt = startedAt
        self.transfers = transfers
        self.lastEvent = lastEvent
        self.warnings = warnings
    }

    enum CodingKeys: String, CodingKey {
        case version, pid, transfers, warnings
        case startedAt = "started_at"
        case lastEvent = "last_event"
    }
}

/// A session as all clients see it.
package struct SessionInfo: Hashable, Codable, Sendable {
    package var id: SessionID
    package var settings: SessionSettings
    /// Number of transfers in each state.
    package var transfers: [String: Int]

    package init(id: SessionID, settings: SessionSettings, transfers: [String: Int]) {
        self.id = id
        self.settings = settings
        self.transfers = transfers
    }
}
