/// The digest that a server has stated of the content of a response, which is a range of a file.
package struct StatedDigest: Hashable, Codable, Sendable {
    /// Position in the file where the range begins.
    package let start: Int64
    /// Where it ends; nil for the end of a file whose length the response does not state.
    package let end: Int64?
    /// Of all bytes of the range, one for each algorithm.
    package let digests: [Checksum]

    /// - Parameter length: Bytes of the content.
    /// - Returns: nil for an empty range or no digest.
    package init?(from start: Int64, length: Int64?, _ digests: [Checksum]) {
        guard !digests.isEmpty, length != 0 else { return nil }
        self.start = start
        end = length.map(start.addingSaturated)
        self.digests = digests
    }

    package var algorithms: Set<DigestAlgorithm> { Set(digests.map(\.algorithm)) }

    /// The range in a file of a size.
    package func range(inSize size: Int64) -> Range<Int64> { start..<max(start, end ?? size) }

    fileprivate func covers(_ other: Range<Int64>) -> Bool {
        start <= other.lowerBound && other.upperBound <= end ?? .max
    }

    /// The first digest that differs from those of the bytes.
    package func difference(from computed: [Checksum]) -> Checksum? { digests.first { !computed.contains($0) } }

    private enum CodingKeys: String, CodingKey { case start, end, digests }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        start = try box.decode(Int64.self, forKey: .start)
        end = try box.decodeIfPresent(Int64.self, forKey: .end)
        digests = try box.decode([Checksum].self, forKey: .digests)
        let most = SettingRange<Int64>.mostBytes
        guard 0..<most ~= start, end.map({ $0 > start && $0 <= most }) ?? true, 1...8 ~= digests.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .start, in: box, debugDescription: "A stated digest has a range and one to eight digests.")
        }
    }
}

/// Digests that servers have stated of ranges of a file, and that no bytes have been compared with yet.
///
/// A response may state a digest of its content (`Content-Digest`, RFC 9530 §2), which is one of a range of the file as long as the
/// file's version stays the same. Read to its end, a response is compared at once. One that was cut, or that ended early because
/// another worker took its end over, is compared once all bytes of its range are there.
///
/// The one rule: a file is whole when its bytes are there and no digest is pending. A response's digest is pending before its first
/// byte is written, and is stored with the ranges, so that no kill leaves bytes that nothing is compared with.
package struct PendingDigests: Hashable, Sendable {
    /// The most that responses leave behind.
    package static let limit = 64

    /// Of responses that are being written.
    private var open: [StatedDigest] = []
    /// Of responses that have ended.
    private var left: [StatedDigest] = []

    package init() {}

    package var digests: [StatedDigest] { left + open }

    /// Whether the same is to be compared. Digests that were read from the journal are of no response that is being written.
    package static func == (one: Self, other: Self) -> Bool { one.digests == other.digests }

    package func hash(into hasher: inout Hasher) { hasher.combine(digests) }

    package var isEmpty: Bool { left.isEmpty && open.isEmpty }

    /// Adds the digest of a response that is about to be written.
    package mutating func begin(_ digest: StatedDigest) { open.append(digest) }

    /// Settles the digest of a response that has ended.
    ///
    /// - Parameters:
    ///   - wrote: The bytes that it wrote, from the beginning of its range.
    ///   - reachedEnd: Whether its content came to its end.
    ///   - computed: Digests of the bytes that it wrote.
    /// - Returns: What the bytes count for.
    package mutating func end(
        _ digest: StatedDigest, wrote: Range<Int64>, reachedEnd: Bool, computed: [Checksum]
    ) -> Verdict {
        let isWhole = digest.end.map { $0 == wrote.upperBound } ?? reachedEnd
        remove(digest)
        if isWhole { return digest.difference(from: computed).map(Verdict.differs) ?? .counts }
        if wrote.isEmpty || left.contains(digest) { return .counts }
        guard left.count >= Self.limit else {
            left.append(digest)
            return .counts
        }
        // Another digest that is compared at the end speaks of the same bytes: answers that go to the end of the file are all within
        // the first.
        return left.contains { $0.covers(wrote) } ? .counts : .uncounted
    }

    /// The verdict on the bytes of a response that has ended.
    package enum Verdict: Hashable, Sendable {
        /// They are good, or are compared later.
        case counts
        /// They are not what the server sent.
        case differs(Checksum)
        /// They cannot be compared later, and are fetched again.
        case uncounted
    }

    /// Settles the digest of a response whose bytes do not count, or one that was compared with the whole file.
    package mutating func remove(_ digest: StatedDigest) {
        if let index = open.firstIndex(of: digest) {
            open.remove(at: index)
        } else if let index = left.firstIndex(of: digest) {
            left.remove(at: index)
        }
    }
}

extension PendingDigests: Codable {
    package init(from decoder: any Decoder) throws {
        left = try decoder.singleValueContainer().decode([StatedDigest].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(digests)
    }
}

/// The durable bytes of a partial file, and the digests that they must still be compared with.
package struct DurableBytes: Hashable, Sendable {
    package var ranges = ByteRangeSet()
    package var pendingDigests = PendingDigests()

    package init() {}
}
