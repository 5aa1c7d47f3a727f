/// A server's digest of the content of one response, which is a range of the file.
package struct StatedDigest: Hashable, Codable, Sendable {
    /// Start of the range in the file.
    package let start: Int64
    /// End of the range. Nil for the end of a file whose length the response does not state.
    package let end: Int64?
    /// Digests of the whole range, one per algorithm.
    package let digests: [Checksum]

    /// - Parameter length: Length of the content in bytes.
    /// - Returns: Nil for an empty range or without digests.
    package init?(from start: Int64, length: Int64?, _ digests: [Checksum]) {
        guard !digests.isEmpty, length != 0 else { return nil }
        self.start = start
        end = length.map(start.addingSaturated)
        self.digests = digests
    }

    package var algorithms: Set<DigestAlgorithm> { Set(digests.map(\.algorithm)) }

    /// The range within a file of a given size.
    package func range(inSize size: Int64) -> Range<Int64> { start..<max(start, end ?? size) }

    fileprivate func covers(_ other: Range<Int64>) -> Bool {
        start <= other.lowerBound && other.upperBound <= end ?? .max
    }

    /// The first digest that differs from the computed ones.
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

/// Digests of ranges of a file that have not been verified yet.
///
/// A response may carry a digest of its content (`Content-Digest`, RFC 9530 §2). It is the digest of a range of the
/// file as long as the file's version stays the same. A complete response is verified at once. One that was
/// interrupted, or ended early because another worker took over its end, is verified once all bytes of its range are
/// present.
///
/// Invariant: a file is complete when its bytes are present and no digest is pending. A response's digest is pending
/// before its first byte is written, and is stored with the ranges, so that no crash leaves unverified bytes.
package struct PendingDigests: Hashable, Sendable {
    /// Maximum number of pending digests of ended responses.
    package static let limit = 64

    /// Digests of responses that are being written.
    private var open: [StatedDigest] = []
    /// Digests of ended responses.
    private var left: [StatedDigest] = []

    package init() {}

    package var digests: [StatedDigest] { left + open }

    /// Whether the same digests are pending. Digests read from the journal belong to no open response.
    package static func == (one: Self, other: Self) -> Bool { one.digests == other.digests }

    package func hash(into hasher: inout Hasher) { hasher.combine(digests) }

    package var isEmpty: Bool { left.isEmpty && open.isEmpty }

    /// Adds the digest of a response before its first byte is written.
    package mutating func begin(_ digest: StatedDigest) { open.append(digest) }

    /// Settles the digest of an ended response.
    ///
    /// - Parameters:
    ///   - wrote: The written bytes, from the start of its range.
    ///   - reachedEnd: Whether the content is complete.
    ///   - computed: Digests of the written bytes.
    /// - Returns: Whether the bytes count.
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
        // Another pending digest covers the same bytes: responses up to the end of the file all lie within the first
        // one.
        return left.contains { $0.covers(wrote) } ? .counts : .uncounted
    }

    /// The verdict on the bytes of an ended response.
    package enum Verdict: Hashable, Sendable {
        /// Verified, or verified later.
        case counts
        /// The bytes differ from the digest.
        case differs(Checksum)
        /// The bytes cannot be verified later and are fetched again.
        case uncounted
    }

    /// Removes the digest of a response whose bytes do not count, or that was verified with the whole file.
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
