import FerryCore

/// The digest of a transfer's file in one attempt, as far as its bytes came in order.
///
/// It runs along with the one response that writes where it ends, or follows what several have written, on another core than
/// what writes.
struct AttemptDigest: Sendable {
    /// A digest of more bytes than this is not taken as they pass.
    private static let followedSize: Int64 = 64 << 20
    /// Less than this is left for the next look, in bytes,
    private static let smallestStep: Int64 = 1 << 20
    /// and no more than this is read at a time, so that a stop need not wait for long.
    private static let largestStep: Int64 = 256 << 20

    /// Digests of the bytes from the beginning; nil where the file is read at the end.
    private(set) var value: RunningDigest?
    /// Where it runs along.
    private var sink: BodySink?
    private var follows = false
    /// Takes the digest of what is written already.
    private var task: Task<Void, Never>?

    /// Begins anew; without algorithms, or after bytes were taken out, there is no digest.
    mutating func begin(_ algorithms: Set<DigestAlgorithm> = []) {
        value = algorithms.isEmpty ? nil : RunningDigest(algorithms)
    }

    /// Goes on with a digest that was taken before.
    mutating func resume(_ digest: RunningDigest?) { value = digest }

    /// Digests of a whole file, as far as they were taken; the rest of it is to be read.
    func begun(_ algorithms: Set<DigestAlgorithm>, size: Int64) -> RunningDigest {
        guard let value, value.count <= size, algorithms.isSubset(of: value.algorithms) else {
            return RunningDigest(algorithms)
        }
        return value
    }

    // MARK: Along with a response

    /// The digest for a response that begins at a position; nil where it cannot run along.
    func running(from start: Int64) -> RunningDigest? {
        value?.count == start && !follows && task == nil && sink == nil ? value : nil
    }

    mutating func runs(along other: BodySink) { sink = other }

    /// Takes in how far a response of several got.
    mutating func closed(_ other: BodySink, with digest: RunningDigest?) {
        guard sink === other else { return }
        value = digest
        sink = nil
    }

    // MARK: Behind what is written

    /// Several responses begin to write.
    mutating func share(missing: Int64) { follows = missing >= Self.followedSize }

    /// They have ended.
    ///
    /// - Returns: what is still under way.
    mutating func endSharing() -> Task<Void, Never>? {
        follows = false
        return task
    }

    /// Whether it waits for bytes, and is not to begin late: it may take longer than they do.
    var waitsForBytes: Bool { follows && value != nil && task == nil }

    /// What is to be read next, and up to where; nil while that is too little.
    func next(after written: ByteRangeSet) -> (begun: RunningDigest, end: Int64)? {
        guard task == nil, sink == nil, let value else { return nil }
        let end = min(written.contiguousEnd(from: value.count), value.count + Self.largestStep)
        return end - value.count >= Self.smallestStep ? (value, end) : nil
    }

    mutating func follow(with other: Task<Void, Never>) { task = other }

    /// Takes in what was read; nil if that failed, and the file is read at the end.
    ///
    /// - Returns: whether what came meanwhile follows at once.
    mutating func followed(to end: Int64, _ extended: RunningDigest?) -> Bool {
        task = nil
        // Bytes that were taken out meanwhile took the digest along.
        value = value != nil && extended?.count == end ? extended : nil
        return follows
    }
}
