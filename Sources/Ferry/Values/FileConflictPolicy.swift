// Ferry: Ferry
// What happens when a file's name is taken.

/// What happens when a file has the name of a download's file that this download did not make.
public enum FileConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// The new file gets another name: `name-1`, `name-2` and so on.
    case unique
    /// The new file takes the other's place, in one step, once it is whole.
    case replace
    /// The download fails with `fileConflict`.
    case fail
}
