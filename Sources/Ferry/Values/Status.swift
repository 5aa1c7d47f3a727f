// Ferry: Ferry
// Where a download stands.

/// Where a download, or a manager's downloads together, stand.
public enum Status: String, Sendable, CaseIterable {
    /// Its turn has not come, or something is in its way that passes by itself.
    case waiting
    /// The daemon works on it.
    case running
    /// Stopped by a call, until another lets it go on; its bytes are kept.
    case suspended
    /// Ended by a call; its bytes are gone.
    case canceled
    /// Ended by an error; a call lets it go on.
    case failed
    /// Taken out of the manager.
    case removed
    /// The file is whole and durable.
    case succeeded
    /// The daemon is about to stop it.
    case willSuspend
    /// The daemon is about to end it.
    case willCancel
    /// The daemon is about to take it out.
    case willRemove
}
