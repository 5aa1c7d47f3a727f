import FerryCore
public import Foundation

/// The reason why a resumed task waits.
public enum WaitingReason: Sendable, Hashable {
    /// No network is available.
    case connectivity
    /// The network is cellular, and the task may not use it.
    case cellular
    /// The network is metered, and the task may not use it.
    case expensive
    /// The network is constrained, and the task may not use it.
    case constrained
    /// The task is discretionary, and external power is missing.
    case externalPower
    case earliestBeginDate(Date)
    /// The app was launched for events recently, and tasks that a launched process creates start after this delay.
    case relaunchDelay(until: Date)
    /// An attempt failed. The next one is scheduled.
    case retry(at: Date, after: URLError.Code)
    /// The connection limit is reached.
    case connectionLimit
    /// A server requires credentials that only the app can provide.
    case authentication
    /// The URL has expired and must be replaced with `updateRequest(_:)`.
    case requestExpired
}

extension WaitingReason {
    /// Creates the waiting reason of a transfer; nil if it does not wait.
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
        case .relaunch: self = .relaunchDelay(until: transfer.times.nextAttempt ?? now)
        case .authentication: self = .authentication
        case .expired: self = .requestExpired
        case .retry, .server, .disk, .destination, .shutdown, .label, .lease, .unknown:
            let code = transfer.error.map { URLErrorMapping.code($0) } ?? .unknown
            self = .retry(at: transfer.times.nextAttempt ?? now, after: code)
        }
    }
}

extension WaitingReason {
    /// Creates the waiting reason of a blocking condition; nil for any other wait.
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
