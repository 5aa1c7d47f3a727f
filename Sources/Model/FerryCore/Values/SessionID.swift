/// Identifies a session: the transfers that one client owns and limits together.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The session of the command line.
    package static let cli = SessionID(unchecked: "cli")

    package let name: String

    private init(unchecked name: String) { self.name = name }

    /// Accepts 1 to 1024 bytes without control characters.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for any other text.
    package init(_ name: String) throws(ServiceError) {
        guard !name.isEmpty, name.utf8.count <= 1024, !name.hasControls else {
            throw ServiceError(.invalidRequest, "A session's name has 1 to 1024 bytes and no control characters.")
        }
        self.name = name
    }

    package var description: String { name }
}

extension SessionID: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
