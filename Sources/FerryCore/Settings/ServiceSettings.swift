// Ferry: FerryCore
// The settings of the daemon.

/// The settings of the daemon; all can be changed while it runs.
package struct ServiceSettings: Hashable, Codable, Sendable {
    /// Connections to one origin, over all transfers.
    package var connectionsPerHost = 8
    package var connectionsTotal = 128
    /// Transfers that run at the same time.
    package var activeTransfers = 16
    /// Bytes per second of all transfers; 0 is no limit.
    package var rateLimit: Int64 = 0
    /// Bytes of each file system that stay free.
    package var reserve: Int64 = 64 << 20
    /// Whether networks are to be used sparingly.
    package var constrained = false

    package init() {}

    enum CodingKeys: String, CodingKey {
        case connectionsPerHost = "connections_per_host"
        case connectionsTotal = "connections_total"
        case activeTransfers = "active_transfers"
        case rateLimit = "rate_limit"
        case reserve, constrained
    }

    package init(from decoder: any Decoder) throws {
        self.init()
        let change = try ServiceSettingsChange(from: decoder)
        self = self.applying(change)
    }

    /// These settings with the keys of a change put in.
    package func applying(_ change: ServiceSettingsChange) -> ServiceSettings {
        var result = self
        result.connectionsPerHost = change.connectionsPerHost ?? connectionsPerHost
        result.connectionsTotal = change.connectionsTotal ?? connectionsTotal
        result.activeTransfers = change.activeTransfers ?? activeTransfers
        result.rateLimit = change.rateLimit ?? rateLimit
        result.reserve = change.reserve ?? reserve
        result.constrained = change.constrained ?? constrained
        return result
    }

    /// - Throws: ``TransferError`` with code `invalid_request` naming the value that is out of its range.
    package func validate() throws(TransferError) {
        var settings = self
        try settings.bringNumbersIntoRange(.refuse)
    }
}
