// Ferry: FerryCore
// The digest algorithms that a checksum can name.

/// A digest algorithm that Ferry computes.
package enum DigestAlgorithm: String, CaseIterable, Codable, Sendable {
    case md5, sha1, sha256, sha384, sha512

    /// Size of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
