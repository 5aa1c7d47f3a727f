import Crypto
package import FerryCore

/// What FerryCore's Digest scheme needs from outside: hashes and unguessable text.
package enum DigestHashing {
    package static let digest: DigestAuthentication.Digester = { hash, bytes in
        switch hash {
        case .md5: Array(Insecure.MD5.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        }
    }

    /// 128 random bits.
    package static func clientNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 16) + String(generator.next(), radix: 16)
    }
}
