// Ferry: FerryCore
// Where a transfer stands, as everybody sees it.

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

    /// Whether nothing more happens without somebody's asking.
    package var isEnded: Bool {
        switch self {
        case .succeeded, .failed, .canceled: true
        case .waiting, .running, .suspended, .unknown: false
        }
    }

    /// The states that a transfer can be in.
    package static let known: [TransferState] = allCases.filter { $0 != .unknown }
}

extension TransferState: Codable {
    package init(from decoder: any Decoder) throws {
        self = TransferState(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
