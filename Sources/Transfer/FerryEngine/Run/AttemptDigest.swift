import FerryCore
import FerryRules

/// The digest of a transfer's file in one attempt, computed while bytes arrive in order.
///
/// With one response it is computed by the writer. With several responses a task on another core reads the written
/// bytes again.
struct AttemptDigest: Sendable {
    /// With more missing bytes than this, a separate task computes the digest.
    private static let followedSize: Int64 = 64 << 20
    /// Minimum bytes per read. Fewer are left for the next one.
    private static let smallestStep: Int64 = 1 << 20
    /// Maximum bytes per read, so that a stop need not wait long.
    private static let largestStep: Int64 = 256 << 20

    /// Digests from byte 0, or `nil` if the file is read at the end.
    private(set) var value: RunningDigest?
    /// The sink that updates the digest.
    private var sink: BodySink?
    private var follows = false
    /// The task that computes the digest of bytes already written.
    private var task: Task<Void, Never>?

    /// Starts anew. Without algorithms, or after bytes were removed, there is no digest.
    mutating func begin(_ algorithms: Set<DigestAlgorithm> = []) {
        value = algorithms.isEmpty ? nil : RunningDigest(algorithms)
    }

    /// Continues from an earlier digest.
    mutating func resume(_ digest: RunningDigest?) { value = digest }

    /// Returns the digests of a whole file computed so far. The remaining bytes must be read.
    func begun(_ algorithms: Set<DigestAlgorithm>, size: Int64) -> RunningDigest {
        guard let value, value.count <= size, algorithms.isSubset(of: value.algorithms) else {
            return RunningDigest(algorithms)
        }
        return value
    }

    // MARK: During a response

    /// Returns the digest for a response that starts at a position, or `nil` if it cannot be updated by the response.
    func running(from start: Int64) -> RunningDigest? {
        value?.count == start && !follows && task == nil && sink == nil ? value : nil
    }

    mutating func runs(along other: BodySink) { sink = other }

    /// Takes over the digest of a finished response, if that response was updating it.
    mutating func closed(_ other: BodySink, with digest: RunningDigest?) {
        guard sink === other else { return }
        value = digest
        sink = nil
    }

    // MARK: From the written file

    /// Begins a phase in which several responses write.
    mutating func share(missing: Int64) { follows = missing >= Self.followedSize }

    /// Ends the phase with several responses.
    ///
    /// - Returns: The task still running.
    mutating func endSharing() -> Task<Void, Never>? {
        follows = false
        return task
    }

    /// Whether a read waits for more bytes and should start promptly, because it may take longer than the bytes do.
    var waitsForBytes: Bool { follows && value != nil && task == nil }

    /// Returns the next range to read with its digest, or `nil` while it is too short.
    func next(after written: ByteRangeSet) -> (begun: RunningDigest, end: Int64)? {
        guard task == nil, sink == nil, let value else { return nil }
        let end = min(written.contiguousEnd(from: value.count), value.count + Self.largestStep)
        return end - value.count >= Self.smallestStep ? (value, end) : nil
    }

    mutating func follow(with other: Task<Void, Never>) { task = other }

    /// Records a finished read. `nil` means that it failed and the file is read at the end.
    ///
    /// - Returns: Whether bytes received meanwhile are read at once.
    mutating func followed(to end: Int64, _ extended: RunningDigest?) -> Bool {
        task = nil
        // Removing bytes meanwhile also discarded the digest.
        value = value != nil && extended?.count == end ? extended : nil
        return follows
    }
}
