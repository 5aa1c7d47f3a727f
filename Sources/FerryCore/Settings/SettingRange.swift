// Ferry: FerryCore
// The ranges of settings.

/// The values that a numeric setting may have.
package struct SettingRange: Sendable {
    package let allowed: ClosedRange<Int64>

    package static let activeTransfers = SettingRange(allowed: 1...1000)
    /// Connections for one file.
    package static let connections = SettingRange(allowed: 1...64)
    package static let connectionsPerHost = SettingRange(allowed: 1...64)
    package static let connectionsTotal = SettingRange(allowed: 1...4096)
    package static let rateLimit = SettingRange(allowed: 1024...Int64.max)
    package static let retries = SettingRange(allowed: 0...1000)
    package static let bytes = SettingRange(allowed: 0...Int64.max)

    /// - Throws: ``TransferError`` with code `invalid_request`, naming the setting and its range.
    package func check(_ value: Int64?, _ name: String) throws(TransferError) {
        guard let value, !allowed.contains(value) else { return }
        let range =
            allowed.upperBound == .max
            ? "at least \(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
        throw TransferError(.invalidRequest, "\(name) is \(range), not \(value).")
    }
}
