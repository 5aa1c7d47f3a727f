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
    /// A server wants credentials, and nobody is there to give them.
    case authentication
    /// The URL has expired and waits for another one.
    case expired
    /// The destination's folder is not there at the moment.
    case destination
    /// The daemon ends; the transfer goes on at its next start.
    case shutdown
    /// The daemon was ended by traps again and again, and runs nothing until its user says so.
    case held
    /// A word of a newer peer.
    case unknown
}

extension WaitReason: Codable {
    package init(from decoder: any Decoder) throws {
        self = WaitReason(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
    }
}
