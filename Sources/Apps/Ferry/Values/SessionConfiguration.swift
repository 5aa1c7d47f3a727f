public import Foundation

/// The limits of a manager's downloads.
///
/// Timeouts and limits of number, speed and network apply immediately to all downloads of the manager, the others to
/// downloads created later.
public struct SessionConfiguration: Equatable, Sendable {
    /// Seconds without a byte before a connection is closed and the request retried.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// Maximum seconds of a download since its first start, without suspended periods.
    public var timeoutIntervalForResource: TimeInterval = 604_800
    /// Maximum number of running downloads. Values below 1 count as 1.
    ///
    /// The daemon's own limits apply as well: 16 transfers in all and 8 connections to one host, unless `ferry
    /// settings` has changed them.
    public var maxConcurrentTasksLimit: Int = 6
    /// Maximum number of running downloads from one host. Nil uses the daemon's limit.
    public var maxTasksPerHost: Int?
    /// Maximum number of connections per download. With nil, more are opened while they increase the speed. Applies to
    /// later downloads.
    public var connectionsPerTask: Int? = 1
    /// Bytes per second for all downloads together. Nil for no limit.
    public var maxBytesPerSecond: Int64?
    public var allowsCellularAccess = false
    public var allowsExpensiveNetworkAccess = true
    public var allowsConstrainedNetworkAccess = true
    /// Acceptable statuses. Others fail the download.
    public var acceptableStatusCodes = 200..<300
    public var fileConflictPolicy = FileConflictPolicy.unique
    public var checksumMismatchPolicy = ChecksumMismatchPolicy.keep

    public init() {}
}

/// The behavior if a file that this download did not create has its name.
public enum FileConflictPolicy: String, Sendable, Codable, CaseIterable {
    /// The new file gets another name: `name-1`, `name-2` and so on.
    case unique
    /// The new file atomically replaces the other once it is complete.
    case replace
    /// The download fails with `fileConflict`.
    case fail
}

/// The behavior if a file's checksum differs from the expected one.
public enum ChecksumMismatchPolicy: String, Sendable, Codable, CaseIterable {
    /// The download succeeds, and its validation is `incorrect`.
    case keep
    /// The download fails with `checksumMismatch`. The file is not placed.
    case fail
}

/// The evaluation of a server's trust.
public enum ServerTrustPolicy: Hashable, Sendable {
    /// By the system's trusted certificates, optionally with the host name.
    case performDefaultEvaluation(validateHost: Bool)
    /// No evaluation: any machine on the network path can impersonate the server.
    case disableEvaluation
}

/// Server trust policies by host, for a manager's downloads. Other hosts are evaluated by default.
open class ServerTrustPolicyManager: @unchecked Sendable {  // SAFETY: immutable; a subclass keeps its own state
    public let policies: [String: ServerTrustPolicy]

    public init(policies: [String: ServerTrustPolicy]) { self.policies = policies }

    /// Returns the policy of a host. Subclasses may override it. Called when a download is created.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? { policies[host] }
}
