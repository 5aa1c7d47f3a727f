/// Where a transfer stands; computed from intent, facts and what runs, never stored.
package enum TransferState: String, CaseIterable, Sendable {
    /// Has no slot; the reason says what it waits for.
    case waiting
    /// Has a slot and works on the file.
    case running
    /// Stopped by the user or a client until resumed.
    case suspended
    case succeeded
    case failed
    case canceled
    /// A word of a newer peer.
    case unknown

    /// Whether nothing more happens without a call.
    package var isEnded: Bool {
        switch self {
        case .succeeded, .failed, .canceled: true
        case .waiting, .running, .suspended, .unknown: false
        }
    }

    /// The state as people call it; JSON has its own words.
    package var word: String { self == .suspended ? "paused" : rawValue }

    /// The states that a transfer can be in.
    package static let known: [TransferState] = allCases.filter { $0 != .unknown }
}

extension TransferState: Codable {
    package init(from decoder: any Decoder) throws {
        self = TransferState(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}

/// What the user wants of a transfer; persisted, while the state is computed.
package enum TransferIntent: String, Codable, Sendable {
    case run, suspend, cancel
    /// It is to be forgotten with its partial file; a removal that the journal has was begun, and a start finishes it.
    case remove
    /// As `remove`, and the file that it has put in its place goes too.
    case removeWithFile = "remove_with_file"

    /// Whether the transfer is to end, and no other wish of its user takes that back.
    package var endsTransfer: Bool { self == .cancel || isRemoval }

    /// Whether nothing of it is to be left.
    package var isRemoval: Bool { self == .remove || self == .removeWithFile }
}

/// Why a transfer that could run does not.
package enum WaitReason: String, CaseIterable, Sendable {
    /// All slots of the daemon are taken.
    case slot
    /// The session's own limit is reached.
    case session
    /// The host's allowance is used up.
    case host
    /// An attempt has failed; the next one has a time.
    case retry
    /// The server asked to come back later.
    case server
    /// The disk is full.
    case disk
    /// No usable network.
    case network
    /// The network is a mobile one, and the transfer may not use it.
    case cellular
    /// The network is metered, and the transfer may not use it.
    case expensive
    /// The network is to be used sparingly, and the transfer may not use it.
    case constrained
    /// The transfer is discretionary, and the machine runs on its battery.
    case power
    /// The moment before which it must not begin has not come.
    case beginDate = "begin_date"
    /// Its app was launched for events a short while ago.
    case relaunch
    /// A server wants credentials, and no client is there to give them.
    case authentication
    /// The URL has expired and waits for another one.
    case expired
    /// The destination's folder is not there at the moment.
    case destination
    /// The daemon ends; the transfer goes on at its next start.
    case shutdown
    /// A word of a newer peer.
    case unknown
}

extension WaitReason {
    /// Reasons for which a transfer waits that has had its turn: it is active without a speed.
    package static let ofActive: Set<WaitReason> = [.retry, .server, .disk, .destination]
}

extension WaitReason: Codable {
    package init(from decoder: any Decoder) throws {
        self = WaitReason(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
