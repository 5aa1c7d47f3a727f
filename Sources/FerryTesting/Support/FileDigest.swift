// Ferry: FerryTesting
// The digest of a file on disk.

import Crypto
import Foundation

/// Reads files and says what they contain.
package enum FileDigest {
    /// The SHA-256 of a file in hexadecimal digits, read piece by piece.
    package static func sha256(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var function = SHA256()
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
            function.update(data: piece)
        }
        return function.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
