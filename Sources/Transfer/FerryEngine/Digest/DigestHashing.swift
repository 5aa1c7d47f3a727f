import Crypto
import FerryCore
package import FerryRules

/// Hashes and random text for FerryRules' Digest authentication.
package enum DigestHashing {
    package static let digest: DigestAuthentication.Digester = { hash, bytes in
        switch hash {
        case .md5: Array(Insecure.MD5.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        }
    }

    /// Returns 128 random bits as text.
    package static func clientNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    }
}
