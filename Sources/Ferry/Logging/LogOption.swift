// Ferry: Ferry
// How much is logged.

/// How much is logged.
public enum LogOption: Sendable {
    /// Changes, refused calls and errors.
    case `default`
    /// Nothing.
    case none
}
