// Ferry: Ferry
// The limits of a manager's downloads.

public import Foundation

/// The limits of a manager's downloads.
///
/// Those of time, number, speed and network apply at once to all downloads of the manager; the rest to those that
/// are made later.
public struct SessionConfiguration: Equatable, Sendable {
    /// Seconds without a byte before a connection is given up and tried again.
    public var timeoutIntervalForRequest: TimeInterval = 60
    /// Seconds from the first start in which a download must end; suspended time does not count.
    public var timeoutIntervalForResource: TimeInterval = 604_800
    /// Downloads that run at the same time; values below 1 are 1.
    public var maxConcurrentTasksLimit: Int = 6
    /// Downloads that run at the same time from one host; nil is the daemon's own limit.
    public var maxTasksPerHost: Int?
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
