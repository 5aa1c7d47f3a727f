public import Foundation

/// What can be said for an http or https URL.
public protocol URLConvertible {
    /// The URL.
    ///
    /// - Throws: ``FerryError/invalidURL(url:)`` if this is no http or https URL with a host.
    func asURL() throws -> URL
}

extension URLConvertible {
    /// The URL, also if the app's own type gives one that is none for a download, or an error of its own.
    ///
    /// - Throws: ``FerryError/invalidURL(url:)`` if this is no http or https URL with a host.
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

    /// - Throws: ``FerryError/invalidURL(url:)`` if this is no http or https URL with a host.
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

/// The method of a request (RFC 9110 §9).
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

/// Fields of a request, by their names.
public typealias HTTPHeaders = [String: String]
