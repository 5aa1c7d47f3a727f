public import Foundation

/// The limits of a manager's downloads.
///
/// Limits of time, number, speed and network apply at once to all downloads of the manager; the other ones to downloads
/// that are made later.
public struct SessionConfiguration: Equatable, Sendable {
    /// Seconds without a byte before a connection is given up and tried again.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// Seconds from the first start in which a download must end; suspended time does not count.
    public var timeoutIntervalForResource: TimeInterval = 604_800
    /// Downloads that run at the same time; values below 1 are 1.
    ///
    /// The daemon's own limits hold besides: 16 transfers in all and 8 connections to one host, unless `ferry settings` has
    /// changed them.
    public var maxConcurrentTasksLimit: Int = 6
    /// Downloads that run at the same time from one host; nil is the daemon's own limit.
    public var maxTasksPerHost: Int?
    /// Connections of one download at most; nil opens more as long as they bring something. Holds for later downloads.
    public var connectionsPerTask: Int? = 1
    /// Bytes per second of all downloads together; nil is no limit.
    public var maxBytesPerSecond: Int64?
    public var allowsCellularAccess = false
    public var allowsExpensiveNetworkAccess = true
    public var allowsConstrainedNetworkAccess = true
    /// Statuses of responses that are files; with others a download fails.
    public var acceptableStatusCodes = 200..<300
    public var fileConflictPolicy = FileConflictPolicy.unique
    public var checksumMismatchPolicy = ChecksumMismatchPolicy.keep

    public init() {}
}

/// What happens when a file has the name of a download's file that this download did not make.
public enum FileConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// The new file gets another name: `name-1`, `name-2` and so on.
    case unique
    /// The new file takes the other's place, in one step, once it is whole.
    case replace
    /// The download fails with `fileConflict`.
    case fail
}

/// What happens to a file whose code is not the one that it was compared with.
public enum ChecksumMismatchPolicy: String, Sendable, Codable, CaseIterable {
    /// The download succeeds, and its validation is `incorrect`.
    case keep
    /// The download fails with `checksumMismatch`; the file does not come to its place.
    case fail
}

/// How the server of a host shows who it is.
public enum ServerTrustPolicy: Hashable, Sendable {
    /// By a certificate that the system trusts, of the host's name if that is to be looked at.
    case performDefaultEvaluation(validateHost: Bool)
    /// Not at all: any machine on the way may stand in for the server.
    case disableEvaluation
}

/// How the servers of a manager's downloads show who they are, by their hosts; others by a certificate as usual.
open class ServerTrustPolicyManager: @unchecked Sendable {  // SAFETY: immutable; a subclass keeps its own state
    public let policies: [String: ServerTrustPolicy]

    public init(policies: [String: ServerTrustPolicy]) { self.policies = policies }

    /// The policy of a host; a subclass may look for it in another way. Called when a download is made.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policies[host] }
}
