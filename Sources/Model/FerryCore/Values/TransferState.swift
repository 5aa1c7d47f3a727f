/// The state of a transfer, derived from intent, facts and running attempts. Never stored.
package enum TransferState: String, CaseIterable, Sendable {
    /// Without a slot. The reason says why.
    case waiting
    /// With a slot.
    case running
    /// Suspended by the user or a client.
    case suspended
    case succeeded
    case failed
    case canceled
    /// A state from a newer version.
    case unknown

    /// Whether the transfer has succeeded, failed or been canceled. Nothing more happens without a call.
    package var isEnded: Bool {
        switch self {
        case .succeeded, .failed, .canceled: true
        case .waiting, .running, .suspended, .unknown: false
        }
    }

    /// The displayed word, which differs from the JSON value.
    package var word: String { self == .suspended ? "paused" : rawValue }

    /// The states of this version.
    package static let known: [TransferState] = allCases.filter { $0 != .unknown }
}

extension TransferState: Codable {
    package init(from decoder: any Decoder) throws {
        self = TransferState(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

/// The user's intent for a transfer. Persisted; the displayed state is derived from it.
package enum TransferIntent: String, Codable, Sendable {
    case run, suspend, cancel
    /// Remove it with its partial file. A removal in the journal has begun, and the next start of the daemon finishes
    /// it.
    case remove
    /// As `remove`, and remove the placed file as well.
    case removeWithFile = "remove_with_file"

    /// Whether the transfer ends, and no other command undoes that.
    package var endsTransfer: Bool { self == .cancel || isRemoval }

    /// Whether the transfer is being removed.
    package var isRemoval: Bool { self == .remove || self == .removeWithFile }
}

/// Why an eligible transfer is not running.
package enum WaitReason: String, CaseIterable, Sendable {
    /// All slots of the daemon are in use.
    case slot
    /// The session's limit is reached.
    case session
    /// The host's connection limit is reached.
    case host
    /// Waiting for the next attempt after a failure.
    case retry
    /// The server asked for a pause.
    case server
    /// The disk is full.
    case disk
    /// No network is available.
    case network
    /// The network is cellular, which the transfer may not use.
    case cellular
    /// The network is metered, which the transfer may not use.
    case expensive
    /// The user asks for low data usage, which the transfer obeys.
    case constrained
    /// The transfer is discretionary, and the machine runs on battery.
    case power
    /// Its session has no lease, which it needs.
    case lease
    /// Its earliest date has not come.
    case beginDate = "begin_date"
    /// Its app was recently launched for events.
    case relaunch
    /// A server requires credentials, and no client is available.
    case authentication
    /// The URL has expired and must be replaced.
    case expired
    /// The destination's folder is currently missing.
    case destination
    /// The daemon is shutting down. The transfer continues at its next start.
    case shutdown
    /// No live worker of the fleet has the job's label.
    case label
    /// A reason from a newer version.
    case unknown
}

extension WaitReason {
    /// Reasons of a transfer that waits after it had a slot: it counts as active, without a speed.
    package static let ofActive: Set<WaitReason> = [.retry, .server, .disk, .destination]
}

extension WaitReason: Codable {
    package init(from decoder: any Decoder) throws {
        self = WaitReason(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
