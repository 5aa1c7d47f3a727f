import FerryCore
public import Foundation

/// What a task waits for, though it was resumed.
public enum WaitingReason: Sendable, Hashable {
    /// There is no network.
    case connectivity
    /// The network is a mobile one, and the task may not use it.
    case cellular
    /// The network is metered, and the task may not use it.
    case expensive
    /// The network is to be spared, and the task may not use it.
    case constrained
    /// The task is discretionary, and there is no external power.
    case externalPower
    case earliestBeginDate(Date)
    /// The app was launched for events a short while ago.
    case relaunchDelay(until: Date)
    /// A failure was met; the next try has a time.
    case retry(at: Date, after: URLError.Code)
    /// All connections that may be open at a time are taken.
    case connectionLimit
    /// A server wants credentials, which only the app can give.
    case authentication
    /// The URL has expired; `updateRequest(_:)` gives another.
    case requestExpired
}

extension WaitingReason {
    /// What a transfer waits for; nil if it does not wait.
    init?(_ transfer: Transfer, now: Date) {
        guard transfer.state == .waiting, let reason = transfer.reason else { return nil }
        switch reason {
        case .slot, .session, .host: self = .connectionLimit
        case .network: self = .connectivity
        case .cellular: self = .cellular
        case .expensive: self = .expensive
        case .constrained: self = .constrained
        case .power: self = .externalPower
        case .beginDate: self = .earliestBeginDate(transfer.notBefore ?? now)
        case .relaunch: self = .relaunchDelay(until: transfer.nextAttemptAt ?? now)
        case .authentication: self = .authentication
        case .expired: self = .requestExpired
        case .retry, .server, .disk, .destination, .shutdown, .unknown:
            let code = transfer.error.map { URLErrorMapping.code($0) } ?? .unknown
            self = .retry(at: transfer.nextAttemptAt ?? now, after: code)
        }
    }
}

extension WaitingReason {
    /// The reason for a condition that is in the way; nil for any other wait.
    init?(condition: WaitReason) {
        switch condition {
        case .network: self = .connectivity
        case .cellular: self = .cellular
        case .expensive: self = .expensive
        case .constrained: self = .constrained
        case .power: self = .externalPower
        default: return nil
        }
    }
}
