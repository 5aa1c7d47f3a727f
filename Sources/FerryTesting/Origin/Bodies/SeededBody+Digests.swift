// Ferry: FerryTesting
// The digests of a seeded body.

import Crypto
package import FerryCore
import Foundation

extension SeededBody {
    package var md5Hex: String { checksum(.md5).hex }
    package var sha1Hex: String { checksum(.sha1).hex }
    package var sha256Hex: String { checksum(.sha256).hex }
    package var sha512Hex: String { checksum(.sha512).hex }

    /// The digest of the whole body, as a request would expect it.
    package func checksum(_ algorithm: DigestAlgorithm) -> Checksum {
        Checksum(algorithm, bytes: digest(algorithm, of: 0..<size))
    }

    /// The digest of a range, computed piece by piece.
    package func digest(_ algorithm: DigestAlgorithm, of range: Range<Int64>) -> [UInt8] {
        switch algorithm {
        case .md5: digest(Insecure.MD5(), of: range)
        case .sha1: digest(Insecure.SHA1(), of: range)
        case .sha256: digest(SHA256(), of: range)
        case .sha384: digest(SHA384(), of: range)
        case .sha512: digest(SHA512(), of: range)
        }
    }

    private func digest(_ function: some HashFunction, of range: Range<Int64>) -> [UInt8] {
        var function = function
        var position = range.lowerBound
        while position < min(range.upperBound, size) {
            let end = min(position + 1 << 18, range.upperBound, size)
            function.update(data: bytes(in: position..<end))
            position = end
        }
        return Array(function.finalize())
    }
}
