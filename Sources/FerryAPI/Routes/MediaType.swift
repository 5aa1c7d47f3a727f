// Ferry: FerryAPI
// The content types of bodies.

/// The content types of the control API.
package enum MediaType {
    package static let json = "application/json"
    /// One JSON value a line.
    package static let lines = "application/x-ndjson"
}
