// Ferry: FerryCore
// How a transfer ended.

/// How a transfer ended.
package enum Outcome: Hashable, Codable, Sendable {
    case succeeded(Success)
    case failed(TransferError)
    case canceled

    package var state: TransferState {
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
        /// Whether the end of the body was told by more than the end of the connection.
        package var lengthVerified: Bool
        /// Whether the file was there already and stayed as it was.
        package var unchanged: Bool

        package init(
            path: String, size: Int64, verified: [Checksum], lengthVerified: Bool = true, unchanged: Bool = false
        ) {
            self.path = path
            self.size = size
            self.verified = verified
            self.lengthVerified = lengthVerified
            self.unchanged = unchanged
        }
    }
}
