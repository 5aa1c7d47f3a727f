package import FerryCore

/// The outcome of a transfer.
package enum Outcome: Hashable, Codable, Sendable {
    case succeeded(Success)
    case failed(ServiceError)
    case canceled

    package var state: TransferState {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        }
    }

    /// The kind of an outcome.
    package enum Kind: Hashable, CaseIterable, Sendable { case succeeded, failed, canceled }

    package var kind: Kind {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        }
    }

    /// A successful download.
    package struct Success: Hashable, Codable, Sendable {
        /// Absolute path of the file.
        package var path: String
        package var size: Int64
        /// Verified digests.
        package var verified: [Checksum]
        /// Computed digests that differ from the expected ones, where the policy allows it.
        package var mismatched: [Checksum]
        /// Whether the length was confirmed by more than the end of the connection.
        package var lengthVerified: Bool
        /// Whether an existing file was kept unchanged.
        package var unchanged: Bool

        package init(
            path: String, size: Int64, verified: [Checksum], mismatched: [Checksum] = [], lengthVerified: Bool = true,
            unchanged: Bool = false
        ) {
            self.path = path
            self.size = size
            self.verified = verified
            self.mismatched = mismatched
            self.lengthVerified = lengthVerified
            self.unchanged = unchanged
        }

        private enum CodingKeys: String, CodingKey {
            case path, size, verified, mismatched, lengthVerified, unchanged
        }

        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            path = try box.decode(String.self, forKey: .path)
            size = try box.decode(Int64.self, forKey: .size)
            verified = try box.decode([Checksum].self, forKey: .verified)
            mismatched = try box.decodeIfPresent([Checksum].self, forKey: .mismatched) ?? []
            lengthVerified = try box.decode(Bool.self, forKey: .lengthVerified)
            unchanged = try box.decode(Bool.self, forKey: .unchanged)
        }
    }
}
