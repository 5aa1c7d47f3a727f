public import Foundation

/// Domain, code and underlying error, for code that expects `NSError`.
extension FerryError: CustomNSError {
    /// `Ferry.FerryError`.
    public static var errorDomain: String { "Ferry.FerryError" }

    /// The numeric code. Stable across versions.
    public var errorCode: Int {
        switch self {
        case .invalidURL: 1
        case .duplicateURL: 2
        case .indexOutOfRange: 3
        case .fetchDownloadTaskFailed: 4
        case .headersMatchFailed: 5
        case .fileNamesMatchFailed: 6
        case .unacceptableStatusCode: 7
        case .transport: 8
        case .resourceTimeout: 9
        case .checksumMismatch: 10
        case .insufficientDiskSpace: 11
        case .fileConflict: 12
        case .invalidDestination: 13
        case .cacheError: 14
        case .recordStoreFailed: 15
        case .daemonUnavailable: 16
        case .sessionInUse: 17
        case .canceled: 18
        case .removed: 19
        case .unknown: 20
        case .invalidRequest: 21
        }
    }

    /// Message, code, and where known the underlying error, URL and file.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description, "code": code]
        info[NSUnderlyingErrorKey] = cause.map { $0 as NSError }
        info[NSURLErrorFailingURLErrorKey] = failingURL
        info[NSFilePathErrorKey] = path
        return info
    }

    /// The underlying error of another library or the system.
    private var cause: (any Error)? {
        switch self {
        case .transport(let error): error
        case .cacheError(let reason): reason.cause
        default: nil
        }
    }

    private var failingURL: URL? {
        switch self {
        case .transport(let error): error.failingURL
        case .duplicateURL(let url), .fetchDownloadTaskFailed(let url): URL(string: url)
        default: nil
        }
    }

    private var path: String? {
        switch self {
        case .fileConflict(let path), .invalidDestination(let path): path
        case .cacheError(let reason): reason.path
        default: nil
        }
    }
}

extension FerryError.CacheErrorReason {
    fileprivate var cause: (any Error)? {
        switch self {
        case .cannotCreateDirectory(_, let error), .cannotRemoveItem(_, let error), .cannotCopyItem(_, _, let error),
            .cannotMoveItem(_, _, let error):
            error
        case .fileDoesnotExist, .readDataFailed: nil
        }
    }

    fileprivate var path: String {
        switch self {
        case .cannotCreateDirectory(let path, _), .cannotRemoveItem(let path, _), .cannotCopyItem(_, let path, _),
            .cannotMoveItem(_, let path, _), .fileDoesnotExist(let path), .readDataFailed(let path):
            path
        }
    }
}
