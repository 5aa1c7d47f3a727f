import FerryCore

/// The state of a download in aria2's terms.
enum DownloadStatus: String {
    case active, waiting, paused, error, complete, removed

    init(_ transfer: Transfer) {
        if transfer.own.isEnding {
            self = .removed
            return
        }
        switch transfer.state {
        case .running: self = .active
        // aria2's clients show a transfer that waits for another attempt, free disk space or its folder as active
        // without speed. A transfer that waits for a network has not had a slot.
        case .waiting: self = transfer.own.isActive ? .active : .waiting
        case .suspended: self = .paused
        case .succeeded: self = .complete
        case .failed: self = .error
        case .canceled: self = .removed
        case .unknown: self = .waiting
        }
    }

    /// Whether the download stays in this state until a call changes it.
    var isStopped: Bool {
        switch self {
        case .error, .complete, .removed: true
        case .active, .waiting, .paused: false
        }
    }
}
