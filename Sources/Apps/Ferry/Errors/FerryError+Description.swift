public import Foundation

/// Messages and codes of errors.
extension FerryError: LocalizedError, CustomStringConvertible {
    /// A message for people, without passwords in URLs.
    public var errorDescription: String? { description }

    /// The same message.
    public var description: String { LogText.redacted(sentence) }

    private var sentence: String {
        switch self {
        case .invalidURL(let url): "The text “\(url)” is not an http or https URL with a host."
        case .duplicateURL(let url): "The URL \(url) is given more than once; it is downloaded once."
        case .indexOutOfRange: "There is no task at this index; the order stays as it is."
        case .fetchDownloadTaskFailed(let url): "The manager has no download of \(url)."
        case .headersMatchFailed: "There must be as many headers as URLs, or none; nothing was downloaded."
        case .fileNamesMatchFailed: "There must be as many file names as URLs, or none; nothing was downloaded."
        case .unacceptableStatusCode(let code): "The server responded with status \(code)."
        case .transport(let error): "The download cannot continue: \(Self.sentence(of: error))"
        case .resourceTimeout: "The download was not finished within its resource timeout."
        case .checksumMismatch(let expected, let actual):
            actual.isEmpty
                ? "The text “\(expected)” is not a checksum of this type."
                : "The file has the checksum \(actual) and not \(expected)."
        case .insufficientDiskSpace(let required, let available):
            required > available
                ? "The file needs \(required) bytes, and \(available) are free on the disk."
                : "The disk is full."
        case .fileConflict(let path): "There is another file at \(path)."
        case .invalidRequest(let message): "The call was refused: \(Self.ended(message))"
        case .invalidDestination(let path): "The destination “\(path)” is not an absolute file URL."
        case .cacheError(let reason): reason.sentence
        case .recordStoreFailed(let message): "The daemon cannot store its records: \(Self.ended(message))"
        case .daemonUnavailable(let message): "The daemon ferryd is not available: \(Self.ended(message))"
        case .sessionInUse(let identifier):
            "Another process of this app uses the downloads of “\(identifier)”; they are available once it has ended."
        case .canceled: "The download was canceled."
        case .removed: "The download was removed."
        case .unknown: "The download has failed; the log has the reason."
        }
    }

    /// Returns the message of an underlying error, which may have none of its own.
    static func sentence(of cause: any Error) -> String {
        if let cause = cause as? URLError, cause.userInfo[NSLocalizedDescriptionKey] == nil {
            return "URL error \(cause.code.rawValue)."
        }
        return ended(cause.localizedDescription)
    }

    private static func ended(_ text: String) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.hasSuffix(".") ? text : text + "."
    }

    /// A stable code for programs.
    public var code: String {
        switch self {
        case .invalidURL: "invalid_url"
        case .duplicateURL: "duplicate_url"
        case .indexOutOfRange: "index_out_of_range"
        case .fetchDownloadTaskFailed: "unknown_transfer"
        case .headersMatchFailed: "headers_match_failed"
        case .fileNamesMatchFailed: "file_names_match_failed"
        case .unacceptableStatusCode: "http_status"
        case .transport: "transport"
        case .resourceTimeout: "deadline_exceeded"
        case .checksumMismatch: "digest_mismatch"
        case .insufficientDiskSpace: "disk_full"
        case .fileConflict: "destination_exists"
        case .invalidRequest: "invalid_request"
        case .invalidDestination: "invalid_destination"
        case .cacheError: "placement_failed"
        case .recordStoreFailed: "journal_failed"
        case .daemonUnavailable: "daemon_unreachable"
        case .sessionInUse: "session_in_use"
        case .canceled: "canceled"
        case .removed: "removed"
        case .unknown: "unknown"
        }
    }
}

extension FerryError.CacheErrorReason {
    /// The message.
    var sentence: String {
        switch self {
        case .cannotCreateDirectory(let path, let error):
            "The folder \(path) cannot be created: \(FerryError.sentence(of: error))"
        case .cannotRemoveItem(let path, let error):
            "The file \(path) cannot be removed: \(FerryError.sentence(of: error))"
        case .cannotCopyItem(let from, let to, let error):
            "The file \(from) cannot be copied to \(to): \(FerryError.sentence(of: error))"
        case .cannotMoveItem("", "", let error): "The file cannot be placed: \(FerryError.sentence(of: error))"
        case .cannotMoveItem("", let to, let error):
            "The file \(to) cannot be placed: \(FerryError.sentence(of: error))"
        case .cannotMoveItem(let from, let to, let error):
            "The file \(from) cannot be moved to \(to): \(FerryError.sentence(of: error))"
        case .fileDoesnotExist(let path): "There is no file at \(path)."
        case .readDataFailed(let path): "The file \(path) cannot be read."
        }
    }
}
