// Ferry: Ferry
// Where a model's download stands.

/// Where a model's download stands.
public enum DownloadState: String, Sendable, CaseIterable {
    /// Nobody has asked for it.
    case `default`
    /// It runs.
    case start
    case waiting
    case suspended
    case completed
    case failed
}
