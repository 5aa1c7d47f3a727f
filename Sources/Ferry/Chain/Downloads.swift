public import Foundation

// The calls of the shared manager, which code for Alamofire 4 makes without naming it.

/// Downloads a URL by the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
}

/// Downloads what a request names by the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}

/// Goes on with what a download has left, by the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(resumingWith: resumeData, to: destination)
}
