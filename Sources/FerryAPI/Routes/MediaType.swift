// Ferry: FerryAPI
// The content types of bodies.

/// The content types of the control API.
package enum MediaType {
    package static let json = "application/json"
    /// One JSON value a line.
    package static let lines = "application/x-ndjson"
    /// Lines that are no JSON.
    package static let text = "text/plain"

    /// A content type without its parameters, in small letters.
    package static func essence(_ field: String) -> String {
        var type = field.prefix { $0 != ";" }.drop { $0 == " " }
        while type.last == " " { type.removeLast() }
        return type.lowercased()
    }
}
