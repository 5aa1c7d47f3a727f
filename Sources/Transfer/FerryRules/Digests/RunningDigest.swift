import Crypto
package import FerryCore

/// Digests of bytes in order from the beginning, computed as they pass.
package struct RunningDigest: Sendable {
    private enum Hasher: Sendable {
        case md5(Insecure.MD5)
        case sha1(Insecure.SHA1)
        case sha256(SHA256)
        case sha384(SHA384)
        case sha512(SHA512)

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            // A copied hasher shares its storage until a change, so take it out of the enum before changing it.
            switch self {
            case .md5(var hash):
                unsafe hash.update(bufferPointer: bytes)
                self = .md5(hash)
            case .sha1(var hash):
                unsafe hash.update(bufferPointer: bytes)
                self = .sha1(hash)
            case .sha256(var hash):
                unsafe hash.update(bufferPointer: bytes)
                self = .sha256(hash)
            case .sha384(var hash):
                unsafe hash.update(bufferPointer: bytes)
                self = .sha384(hash)
            case .sha512(var hash):
                unsafe hash.update(bufferPointer: bytes)
                self = .sha512(hash)
            }
        }
    }

    private var hashers: [Hasher]
    /// Number of bytes digested.
    package private(set) var count: Int64 = 0

    package let algorithms: Set<DigestAlgorithm>

    package init(_ algorithms: Set<DigestAlgorithm>) {
        self.algorithms = algorithms
        hashers = algorithms.map { algorithm in
            switch algorithm {
            case .md5: .md5(Insecure.MD5())
            case .sha1: .sha1(Insecure.SHA1())
            case .sha256: .sha256(SHA256())
            case .sha384: .sha384(SHA384())
            case .sha512: .sha512(SHA512())
            }
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for index in hashers.indices { unsafe hashers[index].update(bytes) }
        count += Int64(bytes.count)
    }

    /// Returns the digests of all bytes so far.
    package func finalize() -> [Checksum] {
        hashers.map { hasher in
            switch hasher {
            case .md5(let hash): Checksum(.md5, bytes: hash.finalize())
            case .sha1(let hash): Checksum(.sha1, bytes: hash.finalize())
            case .sha256(let hash): Checksum(.sha256, bytes: hash.finalize())
            case .sha384(let hash): Checksum(.sha384, bytes: hash.finalize())
            case .sha512(let hash): Checksum(.sha512, bytes: hash.finalize())
            }
        }
    }
}
