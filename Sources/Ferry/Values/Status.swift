import FerryCore
public import Foundation

/// Where a download, or a manager's downloads together, stand.
public enum Status: String, Sendable, CaseIterable {
    /// Its turn has not come, or something is in its way that passes by itself.
    case waiting
    /// The daemon works on it.
    case running
    /// Stopped by a call, until another lets it go on; its bytes are kept.
    case suspended
    /// Ended by a call; its bytes are gone.
    case canceled
    /// Ended by an error; a call lets it go on.
    case failed
    /// Taken out of the manager.
    case removed
    /// The file is whole and durable.
    case succeeded
    /// The daemon is about to stop it.
    case willSuspend
    /// The daemon is about to end it.
    case willCancel
    /// The daemon is about to take it out.
    case willRemove
}

/// Where a model's download stands.
public enum DownloadState: String, Sendable, CaseIterable {
    /// The app has not asked for it, or has canceled or removed it.
    case `default`
    /// It runs.
    case start
    case waiting
    case suspended
    case completed
    case failed
}

/// What a download waits for; it goes on by itself when that is there.
public enum WaitingReason: Hashable, Sendable {
    /// As many downloads run as may.
    case slot
    /// Its host has as many connections as `maxTasksPerHost` allows, or as the daemon's limit for all transfers does
    /// (`ferry settings`).
    case host
    /// There is no network.
    case network
    /// The networks that are there may not be used for it.
    case networkPolicy
    /// The disk is full.
    case diskSpace
    /// The daemon does not answer.
    case daemon
    /// An attempt has failed; the next one has a time.
    case backoff(until: Date)
    /// The moment before which it must not begin.
    case notBefore(Date)

    /// What a transfer waits for; nil if it does not wait.
    init?(_ transfer: Transfer, now: Date) {
        guard transfer.state == .waiting, let reason = transfer.reason else { return nil }
        switch reason {
        case .slot, .session, .unknown: self = .slot
        case .host: self = .host
        case .network: self = .network
        case .cellular, .expensive, .constrained, .power: self = .networkPolicy
        case .disk: self = .diskSpace
        case .shutdown: self = .daemon
        case .beginDate: self = .notBefore(transfer.notBefore ?? now)
        case .retry, .server, .relaunch, .authentication, .expired, .destination:
            self = .backoff(until: transfer.nextAttemptAt ?? now)
        }
    }
}
