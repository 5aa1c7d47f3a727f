/// What happens to a caller's fields when a redirect leads to another origin.
package enum ForeignFields: String, Codable, Sendable {
    /// Only the fields that say what is asked, and by whom, go along.
    case drop
    /// All but credentials and cookies go along, as on Apple's systems.
    case keep
}

/// Chooses the fields of a request by the origin that it goes to.
package enum RequestFields {
    /// The caller's fields that go to an origin.
    ///
    /// `Range` goes along everywhere: it holds no secret, and without it another part of the resource would arrive.
    package static func forOrigin(
        _ origin: Origin, fields: [HeaderField], givenFor home: Origin, foreignFields: ForeignFields = .drop
    ) -> [HeaderField] {
        guard origin != home else { return fields }
        return fields.filter { field in
            switch foreignFields {
            case .drop: ["user-agent", "accept", "range"].contains(field.name.lowercased())
            case .keep: !["authorization", "proxy-authorization", "cookie"].contains(field.name.lowercased())
            }
        }
    }

    /// The value of a caller's `Referer` without userinfo and fragment; nil where it is no URL.
    package static func referer(_ value: String) -> String? {
        try? HTTPURL(parsing: value).withoutFragment.string
    }
}
