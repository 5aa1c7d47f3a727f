/// The digest of a whole file, written `algorithm:HEX`.
package struct Checksum: Hashable, Sendable, CustomStringConvertible {
    package let algorithm: DigestAlgorithm
    /// Lowercase hexadecimal digits.
    package let hex: String

    /// Parses `algorithm:HEX` in any case. A hyphen in the algorithm (`sha-256`) and OpenSSL's names (`SHA2-256`) are
    /// allowed.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for an unknown algorithm, an invalid digit or a wrong
    ///   length.
    package init(parsing text: String) throws(ServiceError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ServiceError(.invalidRequest, "The checksum “\(text.escapingControls)” is not ALGORITHM:HEX.")
        }
        let written = parts[0].lowercased()
        let word = (written.hasPrefix("sha2-") ? "sha" + written.dropFirst(5) : written).filter { $0 != "-" }
        guard let algorithm = DigestAlgorithm(rawValue: word) else {
            let known = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ServiceError(
                .invalidRequest,
                "“\(String(parts[0]).escapingControls)” is not a known checksum algorithm; use one of \(known).")
        }
        let hex = parts[1].lowercased()
        guard hex.utf8.count == algorithm.byteCount * 2, hex.utf8.allSatisfy(\.isHexadecimalDigit) else {
            throw ServiceError(
                .invalidRequest, "A \(algorithm.rawValue) checksum has \(algorithm.byteCount * 2) hexadecimal digits.")
        }
        self.algorithm = algorithm
        self.hex = hex
    }

    package init(_ algorithm: DigestAlgorithm, bytes: some Sequence<UInt8>) {
        self.algorithm = algorithm
        self.hex = bytes.hexDigits
    }

    package var description: String { "\(algorithm.rawValue):\(hex)" }
}

extension Checksum: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A supported digest algorithm.
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
