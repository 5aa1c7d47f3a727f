public import Foundation

/// What can go wrong with a download or a call.
public enum FerryError: Error, Sendable {
    /// This is no http or https URL with a host.
    case invalidURL(url: String)
    /// A URL comes twice in one call; told to the logger alone.
    case duplicateURL(url: String)
    /// There is no task at this place; told to the logger alone.
    case indexOutOfRange
    /// The manager has no such task.
    case fetchDownloadTaskFailed(url: String)
    /// There are not as many headers as URLs.
    case headersMatchFailed
    /// There are not as many file names as URLs.
    case fileNamesMatchFailed
    /// The server's final answer has a status that is none of a file.
    case unacceptableStatusCode(code: Int)
    /// The connection or the server's answers do not allow it.
    case transport(URLError)
    /// The download was not finished in the time that it had.
    case resourceTimeout
    /// The file has another code; an empty `actual` says that no file can have the expected one.
    case checksumMismatch(expected: String, actual: String)
    /// The file does not fit; an amount that is not known is 0.
    case insufficientDiskSpace(required: Int64, available: Int64)
    /// There is another file of this name.
    case fileConflict(path: String)
    /// A value of the call cannot be used, such as a header's name, or the task has no request to replace; the message is a
    /// sentence that says which.
    case invalidRequest(message: String)
    /// The destination is no absolute file URL.
    case invalidDestination(path: String)
    /// The file system does not allow it.
    case cacheError(reason: CacheErrorReason)
    /// The daemon cannot store or read what it keeps.
    case recordStoreFailed(message: String)
    /// The daemon `ferryd` does not answer, or cannot be started; the message is a sentence that says which.
    case daemonUnavailable(message: String)
    /// Another process of the app has the downloads of this identifier.
    case sessionInUse(identifier: String)
    /// Ended by a call.
    case canceled
    /// Taken out of the manager by a call.
    case removed
    /// Anything else; the log says more.
    case unknown

    /// What a file system did not allow.
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
    /// Whether two errors say the same; of a cause that comes from elsewhere, its code or its text is what it says.
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
        // The rest has nothing with it.
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
