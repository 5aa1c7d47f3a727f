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

    /// The code without white space around it.
    var digits: String { code.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// As the daemon knows it; nil if no file has a code like this.
    var core: FerryCore.Checksum? { try? FerryCore.Checksum(parsing: "\(type.word):\(digits)") }

    /// What the daemon compares in place of a code that no file has, so that the file fails; nil for an empty code.
    var unmatched: FerryCore.Checksum? {
        guard !digits.isEmpty else { return nil }
        let text = "no \(type.word): \(code)"
        return try? FerryCore.Checksum(parsing: "\(type.word):\(FileCode.hex(of: Data(text.utf8), type))")
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
