// Ferry: FerryURLSession
// Foundation's words that are not there on Linux.

import Foundation

/// A byte count that is not known: -1.
public let NSURLSessionTransferSizeUnknown: Int64 = -1
/// The key of resume data in an error's user info.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"
/// The key of upload resume data, which are never made.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
/// The name that swift-corelibs-foundation has for ``NSURLSessionDownloadTaskResumeData``.
public let URLSessionDownloadTaskResumeData = NSURLSessionDownloadTaskResumeData
/// The key of a `URLError.NetworkUnavailableReason` in an error's user info.
public let NSURLErrorNetworkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// The key of why a background task was canceled.
let backgroundTaskCancelledReasonKey = "NSURLErrorBackgroundTaskCancelledReasonKey"
