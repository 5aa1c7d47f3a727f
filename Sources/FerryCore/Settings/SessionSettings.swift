// Ferry: FerryCore
// The limits of one session.

/// The limits of one session.
package struct SessionSettings: Hashable, Codable, Sendable {
    /// Transfers that run at the same time; nil is the daemon's own limit.
    package var activeTransfers: Int?
    /// Bytes per second of all its transfers; 0 is no limit.
    package var rateLimit: Int64

    package init(activeTransfers: Int? = nil, rateLimit: Int64 = 0) {
        self.activeTransfers = activeTransfers
        self.rateLimit = rateLimit
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case activeTransfers = "active_transfers"
        case rateLimit = "rate_limit"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        activeTransfers = try box.decodeIfPresent(Int.self, forKey: .activeTransfers)
        rateLimit = try box.decodeIfPresent(Int64.self, forKey: .rateLimit) ?? 0
    }

    /// - Throws: ``TransferError`` with code `invalid_request` naming the value that is out of its range.
    package func validate() throws(TransferError) {
        try SettingRange.activeTransfers.check(activeTransfers.map(Int64.init), "active_transfers")
        try SettingRange.rateLimit.check(rateLimit == 0 ? nil : rateLimit, "rate_limit")
    }
}
