package import FerryCore
public import Foundation

/// Converts a transfer's error to Foundation's.
package enum URLErrorMapping {
    /// Codes of the error table without a Foundation equivalent.
    private static let own: Set<ErrorCode> = [.digestMismatch, .destinationExists, .requestNotReplaceable]

    /// Foundation's key of the failing URL as a text. Its constant is deprecated.
    private static let failingURLStringKey = "NSErrorFailingURLStringKey"

    /// Returns an error as a task delivers it: a `URLError`, or a ``TransferError`` if Foundation has no equivalent.
    ///
    /// - Parameters:
    ///   - url: The URL requested last.
    ///   - resumeData: The resume data for a later task.
    package static func error(
        _ error: ServiceError, url: URL?, resumeData: Data? = nil, ofUpload: Bool = false
    ) -> any Error {
        if own.contains(error.code) { return TransferError(error) }
        var info: [String: Any] = [NSLocalizedDescriptionKey: error.message]
        if let errno = error.details.errno {
            info[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        } else if error.code != .canceled {
            info[NSUnderlyingErrorKey] = TransferError(error) as NSError
        }
        if let resumeData {
            info[ofUpload ? NSURLSessionUploadTaskResumeData : NSURLSessionDownloadTaskResumeData] = resumeData
        }
        if let reason = error.details.cancelReason { info[backgroundTaskCancelledReasonKey] = reason }
        if let reason = error.details.network.flatMap(networkReason) {
            info[NSURLErrorNetworkUnavailableReasonKey] = reason.rawValue
        }
        return completed(URLError(code(error), userInfo: info), url: url)
    }

    /// Completes an error of any origin for delivery: adds the failing URL, also as a text, and a description.
    static func completed(_ error: any Error, url: URL?) -> any Error {
        guard let error = error as? URLError else { return error }
        var info = error.userInfo
        if let url = info[NSURLErrorFailingURLErrorKey] as? URL ?? url {
            info[NSURLErrorFailingURLErrorKey] = url
            info[failingURLStringKey] = url.absoluteString
        }
        if info[NSLocalizedDescriptionKey] == nil { info[NSLocalizedDescriptionKey] = sentence(of: error.code) }
        return URLError(error.code, userInfo: info)
    }

    /// Returns the description on Apple's systems of a code that occurs in this process.
    private static func sentence(of code: URLError.Code) -> String {
        switch code {
        case .cancelled: "cancelled"
        case .badURL: "bad URL"
        case .unsupportedURL: "unsupported URL"
        case .timedOut: "The request timed out."
        case .badServerResponse: "There was a bad response from the server."
        case .resourceUnavailable: "resource unavailable"
        case .fileDoesNotExist: "The requested URL was not found on this server."
        case .fileIsDirectory: "file is directory"
        case .noPermissionsToReadFile: "You do not have permission to access the requested resource."
        case .cannotOpenFile: "cannot open file"
        case .cannotCreateFile: "cannot create file"
        case .cannotWriteToFile: "cannot write file"
        case .cannotMoveFile: "cannot move file"
        case .requestBodyStreamExhausted: "request body stream exhausted"
        case .backgroundSessionWasDisconnected: "Lost connection to background transfer service"
        default: "The operation couldn’t be completed. (\(NSURLErrorDomain) error \(code.rawValue).)"
        }
    }

    /// Returns Foundation's code: that of the cause if it has one, otherwise that of the error's row.
    static func code(_ error: ServiceError) -> URLError.Code {
        // Only resume data refers to a partial file that a task can find missing (docs/behaviour/url-session.md#65).
        let ofCode = error.code == .partialLost ? URLError.Code.cannotWriteToFile.rawValue : error.code.row.urlError
        return (error.details.urlError ?? ofCode).flatMap(URLError.Code.init(rawValue:)) ?? .unknown
    }

    private static func networkReason(_ reason: WaitReason) -> URLError.NetworkUnavailableReason? {
        switch reason {
        case .cellular: .cellular
        case .expensive: .expensive
        case .constrained: .constrained
        default: nil
        }
    }
}

/// Why resume data cannot be used, as the end of a sentence.
package enum ResumeDataFault: String, Sendable {
    case unreadable = "they are damaged, or not made by Ferry"
    case empty = "they contain no bytes"
}

extension URLError {
    /// The error of a download task with unusable resume data.
    package static func unusableResumeData(_ reason: ResumeDataFault, _ url: URL? = nil) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: "The resume data cannot be used: \(reason.rawValue)."]
        info[NSURLErrorFailingURLErrorKey] = url
        return URLError(.cannotWriteToFile, userInfo: info)
    }

    /// The reason why a background task was canceled by the system or the user.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication
        case backgroundUpdatesDisabled
        case insufficientSystemResources
    }

    /// The reason why a task may not use the network.
    public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }

    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[backgroundTaskCancelledReasonKey] as? Int).flatMap(BackgroundTaskCancelledReason.init)
    }

    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int).flatMap(NetworkUnavailableReason.init)
    }

    /// The resume data for a later download task.
    public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// The resume data for a later upload task; nil if the server does not support resumable uploads.
    public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }
}

/// An unknown byte count: -1.
public let NSURLSessionTransferSizeUnknown: Int64 = -1
/// The key of resume data in an error's user info.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
/// The key of an upload's resume data in an error's user info.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
/// swift-corelibs-foundation's name for ``NSURLSessionDownloadTaskResumeData``.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
/// The key of a `URLError.NetworkUnavailableReason` in an error's user info.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// The key of the cancellation reason of a background task.
let backgroundTaskCancelledReasonKey = "NSURLErrorBackgroundTaskCancelledReasonKey"
