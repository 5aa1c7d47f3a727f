import FerryCore

/// Where a download stands, in aria2's words.
enum DownloadStatus: String {
    case active, waiting, paused, error, complete, removed

    init(_ transfer: Transfer) {
        switch transfer.state {
        case .running: self = .active
        case .waiting: self = transfer.reason.map(Self.isInLine) ?? true ? .waiting : .active
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

    /// Whether it has a place in the waiting line.
    var isQueued: Bool { self == .waiting || self == .paused }

    /// Whether a transfer that waits so is in line: aria2's clients know no other waiting, and show what waits for a retry,
    /// for room or for a network as active without speed.
    private static func isInLine(_ reason: WaitReason) -> Bool {
        switch reason {
        case .retry, .server, .disk, .destination, .network, .cellular, .expensive, .constrained: false
        case .slot, .session, .host, .power, .beginDate, .relaunch, .authentication, .expired, .shutdown,
            .unknown:
            true
        }
    }
}
