public import Foundation
public import FoundationNetworking

/// What can be asked of a server.
public protocol URLRequestConvertible {
    /// The request.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request; nil if it cannot be made.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    public func asURLRequest() throws -> URLRequest { self }

    /// A request of a URL.
    ///
    /// - Throws: What the URL's conversion throws.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        for (name, value) in headers ?? [:] { setValue(value, forHTTPHeaderField: name) }
    }
}

/// Changes requests before they are sent, such as by the field of a token.
public protocol RequestAdapter {
    /// The request that is sent in place of another; what it throws is the error of the download.
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest
}

/// Says whether to try again, and after how many seconds.
public typealias RequestRetryCompletion = @Sendable (_ shouldRetry: Bool, _ timeDelay: TimeInterval) -> Void

/// Decides whether a request that has failed is tried again.
public protocol RequestRetrier {
    /// Asks about a failure; the download has not ended until the completion was called.
    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion)
}
