public import Foundation

// Functions of the shared manager, which code for Alamofire 4 calls without naming the manager.

/// Downloads a URL with the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(
        url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
}

/// Downloads the resource of a request with the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}

/// Resumes a download from its resume data with the shared manager, ``SessionManager/default``.
@discardableResult
public func download(
    resumingWith resumeData: Data, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(resumingWith: resumeData, to: destination)
}
