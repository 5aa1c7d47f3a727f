// The types of this module, so that they come before FoundationNetworking's in a file that imports both.

@_exported public import FerryURLSession
// A declaration that is imported by its name comes before one of the same name that comes with its whole module.
@_exported public import class FerryURLSession.URLCache
@_exported public import class FerryURLSession.URLCredentialStorage
@_exported public import class FerryURLSession.URLProtocol
@_exported public import class FerryURLSession.URLSession
@_exported public import class FerryURLSession.URLSessionConfiguration
@_exported public import class FerryURLSession.URLSessionDataTask
@_exported public import class FerryURLSession.URLSessionDownloadTask
@_exported public import class FerryURLSession.URLSessionStreamTask
@_exported public import class FerryURLSession.URLSessionTask
@_exported public import class FerryURLSession.URLSessionTaskMetrics
@_exported public import class FerryURLSession.URLSessionTaskTransactionMetrics
@_exported public import class FerryURLSession.URLSessionUploadTask
@_exported public import let FerryURLSession.NSURLAuthenticationMethodClientCertificate
@_exported public import let FerryURLSession.NSURLAuthenticationMethodServerTrust
@_exported public import let FerryURLSession.NSURLErrorNetworkUnavailableReasonKey
@_exported public import let FerryURLSession.NSURLSessionDownloadTaskResumeData
@_exported public import let FerryURLSession.NSURLSessionTransferSizeUnknown
@_exported public import let FerryURLSession.NSURLSessionUploadTaskResumeData
@_exported public import let FerryURLSession.URLSessionDownloadTaskResumeData
@_exported public import protocol FerryURLSession.URLProtocolClient
@_exported public import protocol FerryURLSession.URLSessionDataDelegate
@_exported public import protocol FerryURLSession.URLSessionDelegate
@_exported public import protocol FerryURLSession.URLSessionDownloadDelegate
@_exported public import protocol FerryURLSession.URLSessionStreamDelegate
@_exported public import protocol FerryURLSession.URLSessionTaskDelegate
