// Ferry: FerryCore
// The limits of one session.

/// The limits of one session.
package struct SessionSettings: Hashable, Codable, Sendable {
    /// Transfers that run at the same time; nil is the daemon's own limit.
    package var activeTransfers: Int?
    /// Connections to one host that its transfers use at the same time; nil is the daemon's own limit.
    package var hostConnections: Int?
    /// Bytes per second of all its transfers; 0 is no limit.
    package var rateLimit: Int64

    package init(activeTransfers: Int? = nil, rateLimit: Int64 = 0, hostConnections: Int? = nil) {
        self.activeTransfers = activeTransfers
        self.hostConnections = hostConnections
        self.rateLimit = rateLimit
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case activeTransfers = "active_transfers"
        case hostConnections = "host_connections"
        case rateLimit = "rate_limit"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        activeTransfers = try box.decodeIfPresent(Int.self, forKey: .activeTransfers)
        hostConnections = try box.decodeIfPresent(Int.self, forKey: .hostConnections)
        rateLimit = try box.decodeIfPresent(Int64.self, forKey: .rateLimit) ?? 0
    }

    /// - Throws: ``TransferError`` with code `invalid_request` naming the value that is out of its range.
    package func validate() throws(TransferError) {
        try SettingRange.activeTransfers.check(activeTransfers.map(Int64.init), "active_transfers")
        try SettingRange.connectionsPerHost.check(hostConnections.map(Int64.init), "host_connections")
        try SettingRange.rateLimit.check(rateLimit == 0 ? nil : rateLimit, "rate_limit")
    }
}
