// Ferry: FerryCore
// Why bytes on disk are given up.

/// Why the bytes on disk are given up, in the words of the record.
package enum RestartReason: String, Hashable, Sendable {
    case lengthChanged = "restarted: the complete length on the server is another"
    case versionChanged = "restarted: the server has another version"
    case rangesUnusable = "restarted: the server's answers to range requests cannot be used"
    case versionUnknown = "restarted: the server does not say which version its answer belongs to"
    case rangeIgnored = "restarted: the server sent the whole file, since it changed or cannot be sent in parts"
    case rangeRefused = "restarted: the server refused to continue"

    /// Whether the server was seen to have another version than the bytes on disk; else it sends the same again.
    package var isOtherVersion: Bool {
        switch self {
        case .lengthChanged, .versionChanged: true
        case .rangesUnusable, .versionUnknown, .rangeIgnored, .rangeRefused: false
        }
    }

    package var note: String { rawValue }
}
