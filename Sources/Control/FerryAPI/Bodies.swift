package import FerryCore

/// The content types of the control API.
package enum MediaType {
    package static let json = "application/json"
    /// One JSON value per line.
    package static let lines = "application/x-ndjson"
    /// Lines of plain text, not JSON.
    package static let text = "text/plain"

    /// Returns a content type in lower case, without its parameters.
    package static func essence(_ field: String) -> String {
        var type = field.prefix { $0 != ";" }.drop { $0 == " " }
        while type.last == " " { type.removeLast() }
        return type.lowercased()
    }
}

/// Maximum sizes of request bodies, in bytes.
package enum BodyLimit {
    /// One JSON value, or one line of a batch.
    package static let value = 4 << 20
    /// All lines of a batch, or the single value of another body about many transfers.
    package static let batch = 64 << 20
    /// All lines of a list of URLs.
    package static let list = 32 << 20
}

/// A body that lists its allowed keys, so that a misspelled key is rejected instead of ignored.
package protocol StrictBody: Decodable {
    static var keys: Set<String> { get }
}

extension TransferRequest: StrictBody {}

extension TransferBatch.Columns: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension TransferBatch.Start: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension TransferChange: StrictBody {}
extension ServiceSettingsChange: StrictBody {}

extension SessionSettingsChange: StrictBody {
    package static let keys = Set(SessionSettings.CodingKeys.allCases.map(\.rawValue))
}

/// The body of every error response.
package struct ErrorBody: Hashable, Codable, Sendable {
    package var error: ServiceError

    package init(_ error: ServiceError) { self.error = error }
}

/// Header fields of the daemon's responses that save the client a request.
package enum AnswerField {
    /// The daemon's version, `ferryd/VERSION`. In every response.
    package static let server = "Server"
    /// The daemon's version of the control API. In every response.
    package static let api = "Ferry-API"
    /// The number of a durable event that precedes all events of the submitted transfers.
    package static let lastEvent = "Ferry-Last-Event"
}
