public import Foundation

/// An error of a download or a call.
public enum FerryError: Error, Sendable {
    /// Not an http or https URL with a host.
    case invalidURL(url: String)
    /// A URL occurs twice in one call. Logged only.
    case duplicateURL(url: String)
    /// The task index is out of range. Logged only.
    case indexOutOfRange
    /// The manager has no such task.
    case fetchDownloadTaskFailed(url: String)
    /// The number of headers differs from the number of URLs.
    case headersMatchFailed
    /// The number of file names differs from the number of URLs.
    case fileNamesMatchFailed
    /// The final response has an unacceptable status.
    case unacceptableStatusCode(code: Int)
    /// The connection failed, or the server's responses are invalid.
    case transport(URLError)
    /// The download was not finished within its resource timeout.
    case resourceTimeout
    /// The checksum differs. An empty `actual` means that no file can have the expected one.
    case checksumMismatch(expected: String, actual: String)
    /// The file does not fit on the disk. An unknown amount is 0.
    case insufficientDiskSpace(required: Int64, available: Int64)
    /// Another file has this name.
    case fileConflict(path: String)
    /// A value of the call is invalid, such as a header field name, or the task has no request to replace. The message
    /// says which.
    case invalidRequest(message: String)
    /// The destination is not an absolute file URL.
    case invalidDestination(path: String)
    /// The file system refused an operation.
    case cacheError(reason: CacheErrorReason)
    /// The daemon cannot read or write its journal.
    case recordStoreFailed(message: String)
    /// The daemon `ferryd` does not respond, or cannot be started. The message says which.
    case daemonUnavailable(message: String)
    /// Another process of the app uses this identifier.
    case sessionInUse(identifier: String)
    /// Canceled by a call.
    case canceled
    /// Removed from the manager by a call.
    case removed
    /// Any other error. The log has details.
    case unknown

    /// The refused file system operation.
    public enum CacheErrorReason: Sendable {
        case cannotCreateDirectory(path: String, error: any Error)
        case cannotRemoveItem(path: String, error: any Error)
        case cannotCopyItem(atPath: String, toPath: String, error: any Error)
        case cannotMoveItem(atPath: String, toPath: String, error: any Error)
        case fileDoesnotExist(path: String)
        case readDataFailed(path: String)
    }
}

extension FerryError: Equatable {
    /// Whether two errors are equal. Underlying errors of other libraries are compared by code or text.
    public static func == (left: FerryError, right: FerryError) -> Bool {
        switch (left, right) {
        case (.invalidURL(let one), .invalidURL(let other)), (.duplicateURL(let one), .duplicateURL(let other)),
            (.fetchDownloadTaskFailed(let one), .fetchDownloadTaskFailed(let other)),
            (.fileConflict(let one), .fileConflict(let other)),
            (.invalidDestination(let one), .invalidDestination(let other)),
            (.invalidRequest(let one), .invalidRequest(let other)),
            (.recordStoreFailed(let one), .recordStoreFailed(let other)),
            (.daemonUnavailable(let one), .daemonUnavailable(let other)),
            (.sessionInUse(let one), .sessionInUse(let other)):
            one == other
        case (.unacceptableStatusCode(let one), .unacceptableStatusCode(let other)): one == other
        case (.transport(let one), .transport(let other)): one.code == other.code
        case (.checksumMismatch(let expected, let actual), .checksumMismatch(let otherExpected, let otherActual)):
            expected == otherExpected && actual == otherActual
        case (.insufficientDiskSpace(let required, let free), .insufficientDiskSpace(let otherRequired, let otherFree)):
            required == otherRequired && free == otherFree
        case (.cacheError(let one), .cacheError(let other)): one.sentence == other.sentence
        // The other cases have no associated values.
        default: left.code == right.code && !left.hasDetails
        }
    }

    private var hasDetails: Bool {
        switch self {
        case .indexOutOfRange, .headersMatchFailed, .fileNamesMatchFailed, .resourceTimeout, .canceled, .removed,
            .unknown:
            false
        default: true
        }
    }
}
