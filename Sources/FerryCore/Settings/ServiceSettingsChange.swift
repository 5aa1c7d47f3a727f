// Ferry: FerryCore
// A change of the daemon's settings.

/// A change of the daemon's settings; absent keys stay as they are.
package struct ServiceSettingsChange: Hashable, Codable, Sendable {
    package var connectionsPerHost: Int?
    package var connectionsTotal: Int?
    package var activeTransfers: Int?
    package var rateLimit: Int64?
    package var reserve: Int64?
    package var constrained: Bool?

    package init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case connectionsPerHost = "connections_per_host"
        case connectionsTotal = "connections_total"
        case activeTransfers = "active_transfers"
        case rateLimit = "rate_limit"
        case reserve, constrained
    }

    /// The keys that a change may have on the wire.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
