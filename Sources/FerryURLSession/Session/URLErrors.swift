package import FerryCore
public import Foundation

/// Shows a transfer's error as Foundation does.
package enum URLErrorMapping {
    /// Codes of the error table that Foundation has no word for.
    private static let own: Set<ErrorCode> = [.digestMismatch, .destinationExists, .requestNotReplaceable]

    /// Foundation's key for the failing URL as text, whose constant is deprecated.
    private static let failingURLStringKey = "NSErrorFailingURLStringKey"

    /// An error as a task delivers it: a `URLError`, or a ``TransferError`` where Foundation has no word.
    ///
    /// - Parameters:
    ///   - url: the URL that was asked last.
    ///   - resumeData: what a later task needs to continue.
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

    /// An error as a task delivers it, wherever it comes from: with the failing URL, also as text, and a sentence.
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

    /// What Apple's systems say of the codes that arise in this process.
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

    /// Foundation's code: the cause's own where it decides, else that of the error's row.
    static func code(_ error: ServiceError) -> URLError.Code {
        // A task meets a lost partial file only where its resume data name it (docs/behaviour/url-session.md#65).
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

extension URLError {
    /// Why a background task was canceled without a call by the app.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication
        case backgroundUpdatesDisabled
        case insufficientSystemResources
    }

    /// Which of the task's own rules forbids the network.
    public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }

    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[backgroundTaskCancelledReasonKey] as? Int).flatMap(BackgroundTaskCancelledReason.init)
    }

    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int).flatMap(NetworkUnavailableReason.init)
    }

    /// What a later download task needs to continue.
    public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// The resume data of a later upload task; nil where the server cannot resume uploads.
    public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }
}

/// A byte count that is not known: -1.
public let NSURLSessionTransferSizeUnknown: Int64 = -1
/// The key of resume data in an error's user info.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
/// The key of an upload's resume data in an error's user info.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
/// The name that swift-corelibs-foundation has for ``NSURLSessionDownloadTaskResumeData``.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
/// The key of a `URLError.NetworkUnavailableReason` in an error's user info.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// The key of why a background task was canceled.
let backgroundTaskCancelledReasonKey = "NSURLErrorBackgroundTaskCancelledReasonKey"
