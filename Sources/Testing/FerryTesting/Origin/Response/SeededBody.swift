import Crypto
package import FerryCore
import Foundation
package import NIOCore

/// A body generated from a seed.
///
/// Any range can be generated independently, so a test of hundreds of MiB keeps no copy in memory.
package struct SeededBody: Hashable, Sendable {
    package let seed: UInt64
    package let size: Int64

    package init(seed: UInt64, size: Int64) {
        self.seed = seed
        self.size = size
    }

    /// Returns the bytes of a range, clamped to the body.
    package func bytes(in range: Range<Int64>) -> [UInt8] {
        let range = range.clamped(to: 0..<size)
        return unsafe Array(unsafeUninitializedCapacity: range.count) { buffer, count in
            unsafe fill(UnsafeMutableRawBufferPointer(buffer), from: range.lowerBound)
            count = range.count
        }
    }

    /// The whole body. Meant for small ones.
    package var bytes: [UInt8] { bytes(in: 0..<size) }

    /// Appends a range, clamped to the body, to a buffer.
    package func write(_ range: Range<Int64>, into buffer: inout ByteBuffer) {
        let range = range.clamped(to: 0..<size)
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { target in
            unsafe fill(UnsafeMutableRawBufferPointer(rebasing: target[..<range.count]), from: range.lowerBound)
            return range.count
        }
    }

    /// Fills memory with the bytes from a position on.
    ///
    /// Stores whole words with raw operations only, which are fast even in unoptimized builds.
    private func fill(_ target: UnsafeMutableRawBufferPointer, from start: Int64) {
        var offset = 0
        let count = target.count
        while offset < count {
            let position = start &+ Int64(truncatingIfNeeded: offset)
            let word = Self.mixed(seed, wordAt: UInt64(truncatingIfNeeded: position &>> 3)).littleEndian
            let skipped = Int(truncatingIfNeeded: position & 7)
            if skipped == 0, count &- offset >= 8 {
                unsafe target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
                offset = offset &+ 8
            } else {
                let length = min(8 &- skipped, count &- offset)
                for index in 0..<length {
                    let byte = UInt8(truncatingIfNeeded: word.littleEndian &>> UInt64((skipped &+ index) &* 8))
                    unsafe target.storeBytes(of: byte, toByteOffset: offset &+ index, as: UInt8.self)
                }
                offset = offset &+ length
            }
        }
    }

    /// The finalizer of SplitMix64. Neighboring positions give unrelated words.
    @inline(__always)
    private static func mixed(_ seed: UInt64, wordAt index: UInt64) -> UInt64 {
        var word = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word &>> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word &>> 31)
    }
}

/// The digests of a seeded body.
extension SeededBody {
    package var md5Hex: String { checksum(.md5).hex }
    package var sha1Hex: String { checksum(.sha1).hex }
    package var sha256Hex: String { checksum(.sha256).hex }
    package var sha512Hex: String { checksum(.sha512).hex }

    /// Returns the digest of the whole body, in the form that a request expects.
    package func checksum(_ algorithm: DigestAlgorithm) -> Checksum {
        Checksum(algorithm, bytes: digest(algorithm, of: 0..<size))
    }

    /// Returns the digest of a range, computed in pieces.
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
