// Ferry: Ferry
// The method of a request.

/// The method of a request (RFC 9110 §9).
public enum HTTPMethod: String, Sendable, Codable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case head = "HEAD"
}
