import Crypto
package import FerryCore

/// The digest of the durable bytes from the start of a partial file.
///
/// It proves that a file is the recorded one, on file systems whose inode numbers prove nothing. It can be extended after
/// a restart: the whole blocks are a chain of digests, and only the last block is read again.
package struct PrefixDigest: Hashable, Codable, Sendable {
    package static let blockSize: Int64 = 16 << 20

    /// Number of bytes digested.
    package private(set) var count: Int64 = 0
    /// Digest over the digests of the whole blocks.
    private var blocks: Checksum?
    /// Digest of the bytes after the whole blocks.
    private var rest: Checksum?

    package init() {}

    /// Returns the digest extended to a position.
    ///
    /// - Parameter digest: Returns the SHA-256 of a range of the file.
    package func extended<Failure: Error>(
        to end: Int64, _ digest: (Range<Int64>) throws(Failure) -> Checksum
    ) throws(Failure) -> PrefixDigest {
        var result = self
        result.rest = nil
        result.count = end
        var position = count - count % Self.blockSize
        while position < end {
            let block = position..<min(end, position + Self.blockSize)
            let checksum = try digest(block)
            if block.count == Self.blockSize {
                var chain = SHA256()
                chain.update(data: Array(((result.blocks?.hex ?? "") + checksum.hex).utf8))
                result.blocks = Checksum(.sha256, bytes: chain.finalize())
            } else {
                result.rest = checksum
            }
            position = block.upperBound
        }
        return result
    }
}
