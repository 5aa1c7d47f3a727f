public import Foundation

/// A value that can be converted to an http or https URL.
public protocol URLConvertible {
    /// Returns the URL.
    ///
    /// - Throws: ``FerryError/invalidURL(url:)`` if this is not an http or https URL with a host.
    func asURL() throws -> URL
}

extension URLConvertible {
    /// Returns the URL, also validated for an app's own type, whose errors are converted.
    ///
    /// - Throws: ``FerryError/invalidURL(url:)`` if this is not an http or https URL with a host.
    func address() throws(FerryError) -> URL {
        let url: URL
        do {
            url = try asURL()
        } catch let error as FerryError {
            throw error
        } catch {
            throw .invalidURL(url: "\(self)")
        }
        return try url.checked()
    }
}

extension String: URLConvertible {
    public func asURL() throws -> URL {
        guard let url = URL(string: self) else { throw FerryError.invalidURL(url: self) }
        return try url.asURL()
    }
}

extension URL: URLConvertible {
    public func asURL() throws -> URL { try checked() }

    /// - Throws: ``FerryError/invalidURL(url:)`` if this is not an http or https URL with a host.
    func checked() throws(FerryError) -> URL {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https", let host, !host.isEmpty else {
            throw .invalidURL(url: absoluteString)
        }
        return self
    }
}

extension URLComponents: URLConvertible {
    public func asURL() throws -> URL {
        guard let url else { throw FerryError.invalidURL(url: string ?? "\(self)") }
        return try url.asURL()
    }
}

/// A request method (RFC 9110 §9).
public enum HTTPMethod: String, Sendable, Codable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case head = "HEAD"
}

/// A closure of the app.
public typealias Handler<T> = @Sendable (T) -> Void

/// Header fields by name.
public typealias HTTPHeaders = [String: String]
