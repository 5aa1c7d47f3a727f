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
    /// In place of the network policies of its transfers; nil leaves each its own.
    package var network: NetworkPolicy?
    /// Seconds without a byte before a connection is given up, in place of those of its transfers; nil leaves each its own.
    package var idleTimeout: Double?
    /// Whether priority and the session's order alone say which of its transfers is next.
    package var inOrder = false

    package init(activeTransfers: Int? = nil, rateLimit: Int64 = 0, hostConnections: Int? = nil) {
        self.activeTransfers = activeTransfers
        self.hostConnections = hostConnections
        self.rateLimit = rateLimit
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case activeTransfers = "active_transfers"
        case hostConnections = "host_connections"
        case rateLimit = "rate_limit"
        case network
        case idleTimeout = "idle_timeout"
        case inOrder = "in_order"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        activeTransfers = try box.decodeIfPresent(Int.self, forKey: .activeTransfers)
        hostConnections = try box.decodeIfPresent(Int.self, forKey: .hostConnections)
        rateLimit = try box.decodeIfPresent(Int64.self, forKey: .rateLimit) ?? 0
        network = try box.decodeIfPresent(NetworkPolicy.self, forKey: .network)
        idleTimeout = try box.decodeIfPresent(Double.self, forKey: .idleTimeout)
        inOrder = try box.decodeIfPresent(Bool.self, forKey: .inOrder) ?? false
    }

    /// - Throws: ``TransferError`` with code `invalid_request` naming the value that is out of its range.
    package func validate() throws(TransferError) {
        var settings = self
        try settings.bringNumbersIntoRange(.refuse)
    }
}
