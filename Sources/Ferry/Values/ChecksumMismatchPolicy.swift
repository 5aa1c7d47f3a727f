// Ferry: Ferry
// What happens to a file of another code.

/// What happens to a file whose code is not the one that it was compared with.
public enum ChecksumMismatchPolicy: String, Sendable, Codable, CaseIterable {
    /// The download succeeds, and its validation is `incorrect`.
    case keep
    /// The download fails with `checksumMismatch`; the file does not come to its place.
    case fail
}
