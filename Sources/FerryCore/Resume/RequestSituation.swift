/// What is on disk and known when a request is about to be made.
package struct RequestSituation: Hashable, Sendable {
    package var ranges = ByteRangeSet()
    package var identity: ResourceIdentity?
    /// Whether the caller gave a digest of the whole file.
    package var hasExpectedDigest = false
    package var expectedSize: Int64?
    /// What is recorded of the file at the destination; set under conflict policy `update` alone.
    package var existing: ResourceIdentity?
    package var raw: RawRequest?
    /// Whether ranges are off for this transfer, or a restart was decided.
    package var rangesOff = false
    /// Whether caches on the way are to ask the origin: after a digest mismatch or an unusable answer to a range.
    package var bypassesCaches = false
    /// Whether the range is to be asked without `If-Range` (docs/behaviour/transfers.md#row-21 and row 22).
    package var isUnconditional = false
    /// The part of the file that this worker is to fetch; nil for the first part that is missing.
    package var segment: Range<Int64>?

    package init() {}
}

extension RequestSituation {
    /// Length of the file that is fetched, as far as it is known.
    package var fileLength: Int64? {
        if case .ownRange(let own) = raw { return own.length(completeLength: identity?.completeLength) }
        return identity?.completeLength ?? expectedSize
    }

    /// Whether every byte of a known length, or of the segment, is on disk, so that nothing is asked.
    package var isComplete: Bool {
        if let segment, ranges.contains(segment) { return true }
        return fileLength.map { ranges.contains(0..<max(0, $0)) && (!ranges.isEmpty || identity != nil) } ?? false
    }
}
