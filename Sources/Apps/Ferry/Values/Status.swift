import FerryCore
public import Foundation

/// The status of a download, or of a manager's downloads together.
public enum Status: String, Sendable, CaseIterable {
    /// Waiting for a slot, or for a temporary condition.
    case waiting
    /// The daemon is working on it.
    case running
    /// Suspended by a call until resumed. Its bytes are kept.
    case suspended
    /// Canceled by a call. Its bytes are deleted.
    case canceled
    /// Failed. A call resumes it.
    case failed
    /// Removed from the manager.
    case removed
    /// The file is complete and durable.
    case succeeded
    /// The daemon is about to suspend it.
    case willSuspend
    /// The daemon is about to cancel it.
    case willCancel
    /// The daemon is about to remove it.
    case willRemove
}

/// The state of a model's download.
public enum DownloadState: String, Sendable, CaseIterable {
    /// Not started, or canceled or removed.
    case `default`
    /// Running.
    case start
    case waiting
    case suspended
    case completed
    case failed
}

/// Why a download waits. It continues automatically when the reason is gone.
public enum WaitingReason: Hashable, Sendable {
    /// The maximum number of downloads is running.
    case slot
    /// Its host has as many connections as `maxTasksPerHost` or the daemon's limit for all transfers allows (`ferry
    /// settings`).
    case host
    /// No network is available.
    case network
    /// The available networks may not be used for it.
    case networkPolicy
    /// The disk is full.
    case diskSpace
    /// The daemon does not respond.
    case daemon
    /// An attempt has failed. The date is that of the next one.
    case backoff(until: Date)
    /// Its earliest date has not come.
    case notBefore(Date)

    /// The wait reason of a transfer, or nil if it does not wait.
    init?(_ transfer: Transfer, now: Date) {
        guard transfer.state == .waiting, let reason = transfer.reason else { return nil }
        switch reason {
        case .slot, .session, .label, .unknown: self = .slot
        case .host: self = .host
        case .network: self = .network
        case .cellular, .expensive, .constrained, .power: self = .networkPolicy
        case .disk: self = .diskSpace
        case .shutdown: self = .daemon
        case .beginDate: self = .notBefore(transfer.notBefore ?? now)
        case .retry, .server, .relaunch, .authentication, .expired, .destination, .lease:
            self = .backoff(until: transfer.times.nextAttempt ?? now)
        }
    }
}
