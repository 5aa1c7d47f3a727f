// Ferry: Ferry
// The code that a file must have.

import FerryCore
import Foundation

/// The code that a file must have.
public struct Checksum: Hashable, Codable, Sendable {
    public let type: FileChecksumHelper.VerificationType
    /// Hexadecimal digits in any case.
    public let code: String

    public init(_ type: FileChecksumHelper.VerificationType, _ code: String) {
        self.type = type
        self.code = code
    }

    /// As the daemon knows it; nil if no file has a code like this.
    var core: FerryCore.Checksum? {
        try? FerryCore.Checksum(parsing: "\(type.word):\(code.trimmingCharacters(in: .whitespacesAndNewlines))")
    }
}

extension FileChecksumHelper.VerificationType {
    /// The algorithm's name.
    var word: String {
        switch self {
        case .md5: "md5"
        case .sha1: "sha1"
        case .sha256: "sha256"
        case .sha512: "sha512"
        }
    }
}
