// Ferry: FerryAPI
// The content types of bodies.

/// The content types of the control API.
package enum MediaType {
    package static let json = "application/json"
    /// One JSON value a line.
    package static let lines = "application/x-ndjson"
    /// Lines that are no JSON.
    package static let text = "text/plain"
}
