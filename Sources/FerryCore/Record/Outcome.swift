/// How a transfer ended.
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

    /// How a transfer ended, without what it brought.
    package enum Kind: Hashable, CaseIterable, Sendable { case succeeded, failed, canceled }

    package var kind: Kind {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        }
    }

    /// A file that arrived.
    package struct Success: Hashable, Codable, Sendable {
        /// Absolute path of the file.
        package var path: String
        package var size: Int64
        /// Digests that were checked.
        package var verified: [Checksum]
        /// Digests of the file whose expected ones disagreed, where that is no failure.
        package var mismatched: [Checksum]
        /// Whether the end of the body was told by more than the end of the connection.
        package var lengthVerified: Bool
        /// Whether the file was there already and stayed as it was.
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
