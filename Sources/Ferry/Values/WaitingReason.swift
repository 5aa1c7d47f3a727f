// Ferry: Ferry
// What a download waits for.

import FerryCore
public import Foundation

/// What a download waits for; it goes on by itself when that is there.
public enum WaitingReason: Hashable, Sendable {
    /// As many downloads run as may.
    case slot
    /// There is no network.
    case network
    /// The networks that are there may not be used for it.
    case networkPolicy
    /// The disk is full.
    case diskSpace
    /// The daemon does not answer.
    case daemon
    /// A failure was met; the next try has a time.
    case backoff(until: Date)
    /// The moment before which it must not begin.
    case notBefore(Date)

    /// What a transfer waits for; nil if it does not wait.
    init?(_ transfer: Transfer, now: Date) {
        guard transfer.state == .waiting, let reason = transfer.reason else { return nil }
        switch reason {
        case .slot, .session, .host, .unknown: self = .slot
        case .network: self = .network
        case .cellular, .expensive, .constrained, .power: self = .networkPolicy
        case .disk: self = .diskSpace
        case .shutdown, .held: self = .daemon
        case .beginDate: self = .notBefore(transfer.notBefore ?? now)
        case .retry, .server, .relaunch, .authentication, .expired, .destination:
            self = .backoff(until: transfer.nextTryAt ?? now)
        }
    }
}
