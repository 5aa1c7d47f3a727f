import Crypto
package import FerryCore

/// Digests of bytes in order from the beginning, computed as they pass.
package struct RunningDigest: Sendable {
    private struct Hasher: Sendable {
        let algorithm: DigestAlgorithm
        var function: any HashFunction & Sendable
    }

    private var hashers: [Hasher]
    /// Number of bytes digested.
    package private(set) var count: Int64 = 0

    package let algorithms: Set<DigestAlgorithm>

    package init(_ algorithms: Set<DigestAlgorithm>) {
        self.algorithms = algorithms
        hashers = algorithms.map { Hasher(algorithm: $0, function: $0.function) }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for index in hashers.indices { unsafe hashers[index].function.update(bufferPointer: bytes) }
        count += Int64(bytes.count)
    }

    /// Returns the digests of all bytes so far.
    package func finalize() -> [Checksum] { hashers.map { $0.function.checksum($0.algorithm) } }
}

extension DigestAlgorithm {
    /// A new hash function of the algorithm.
    fileprivate var function: any HashFunction & Sendable {
        switch self {
        case .md5: Insecure.MD5()
        case .sha1: Insecure.SHA1()
        case .sha256: SHA256()
        case .sha384: SHA384()
        case .sha512: SHA512()
        }
    }
}

extension HashFunction {
    fileprivate func checksum(_ algorithm: DigestAlgorithm) -> Checksum { Checksum(algorithm, bytes: finalize()) }
}
