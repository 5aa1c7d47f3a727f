// Ferry: FerryCore
// Why a transfer waits.

/// Why a transfer that could run does not.
package enum WaitReason: String, CaseIterable, Sendable {
    /// All slots of the daemon are taken.
    case slot
    /// The session's own limit is reached.
    case session
    /// The host's allowance is used up.
    case host
    /// A failure was met; the next try has a time.
    case retry
    /// The server asked to come back later.
    case server
    /// The disk is full.
    case disk
    /// No usable network.
    case network
    /// The destination's folder is not there at the moment.
    case destination
    /// The daemon ends; the transfer goes on at its next start.
    case shutdown
    /// A word of a newer peer.
    case unknown
}

extension WaitReason: Codable {
    package init(from decoder: any Decoder) throws {
        self = WaitReason(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
