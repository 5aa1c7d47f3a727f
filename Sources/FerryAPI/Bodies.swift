package import FerryCore

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

/// How many bytes the bodies of requests may have.
package enum BodyLimit {
    /// One JSON value, or one line of a batch.
    package static let value = 4 << 20
    /// All lines of a batch, or the one value of another body about many transfers.
    package static let batch = 64 << 20
    /// All lines of a list of URLs.
    package static let list = 32 << 20
}

/// A body that names all keys that it may have, so that a misspelt one is refused and not ignored.
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

/// The body of every response that reports an error.
package struct ErrorBody: Hashable, Codable, Sendable {
    package var error: ServiceError

    package init(_ error: ServiceError) { self.error = error }
}

/// Header fields of the daemon's answers that say what a client would otherwise have to ask for.
package enum AnswerField {
    /// Which daemon answers, `ferryd/VERSION`; of every answer.
    package static let server = "Server"
    /// Version of the control API that the daemon speaks; of every answer.
    package static let api = "Ferry-API"
    /// Number of a durable event before the events of what was submitted.
    package static let lastEvent = "Ferry-Last-Event"
}
