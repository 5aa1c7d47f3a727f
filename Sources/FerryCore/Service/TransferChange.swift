// Ferry: FerryCore
// What can be changed about one transfer.

/// What to change about one transfer; absent keys stay as they are.
package struct TransferChange: Hashable, Codable, Sendable {
    package var action: TransferAction?
    package var priority: Priority?
    /// Bytes per second; 0 is no limit.
    package var rateLimit: Int64?
    /// A new address for the same bytes: ranges and identity stay, and its first answer is judged by them.
    package var url: String?
    /// Another folder for a transfer that has not ended well.
    package var folder: String?
    /// Another name for a transfer that has not ended well.
    package var name: String?

    package init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, priority, url, folder, name
        case rateLimit = "rate_limit"
    }

    /// The keys that a change may have on the wire.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
