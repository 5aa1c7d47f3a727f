// Ferry: FerryAPI
// The HTTP methods of the control API.

/// An HTTP method of the control API.
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}
