import FerryCore

/// Where a download stands, in aria2's words.
enum DownloadStatus: String {
    case active, waiting, paused, error, complete, removed

    init(_ transfer: Transfer) {
        if transfer.own.isEnding {
            self = .removed
            return
        }
        switch transfer.state {
        case .running: self = .active
        // aria2's clients show what waits for another attempt, for room or for its folder as active without speed. What waits
        // for a network has not had its turn.
        case .waiting: self = transfer.own.isActive ? .active : .waiting
        case .suspended: self = .paused
        case .succeeded: self = .complete
        case .failed: self = .error
        case .canceled: self = .removed
        case .unknown: self = .waiting
        }
    }

    /// Whether nothing more happens without a call.
    var isStopped: Bool {
        switch self {
        case .error, .complete, .removed: true
        case .active, .waiting, .paused: false
        }
    }
}
