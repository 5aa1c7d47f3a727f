public import Foundation
public import FoundationNetworking

/// A value that can be converted to a request.
public protocol URLRequestConvertible {
    /// Returns the request.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request, or nil if the conversion fails.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    public func asURLRequest() throws -> URLRequest { self }

    /// Creates a request.
    ///
    /// - Throws: The error of the URL's conversion.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        for (name, value) in headers ?? [:] { setValue(value, forHTTPHeaderField: name) }
    }
}

/// Modifies requests before they are sent, for example to add a token.
public protocol RequestAdapter {
    /// Returns the request to send instead. A thrown error fails the download.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}

/// Decides about a retry, and its delay in seconds.
public typealias RequestRetryCompletion = @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides whether a failed request is retried.
public protocol RequestRetrier {
    /// Asks about a failure. The download does not complete until the completion is called.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
