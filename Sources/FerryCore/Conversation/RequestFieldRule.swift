/// The kind of transfer that a caller's method and fields ask for.
package enum RequestKind: Hashable, Sendable {
    /// A GET that Ferry may resume and split.
    case plain
    /// One range of the resource is the file: one worker, and a continuation asks for the rest of the range.
    case ownRange(OwnRange)
    /// The answer may have a coding that the caller names: one worker, and a continuation of an answer without one.
    case coded
    /// The final response is the file, whatever it is: one worker, no resume.
    case raw
}

/// Judges the fields that a caller gives with a request.
package enum RequestFieldRule {
    /// The most bytes that all fields may have together, as they go over the wire.
    package static let maximumSize = 64 * 1024

    /// Checks method and fields and says what kind of transfer they ask for.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package static func kind(method: String, fields: [HeaderField]) throws(ServiceError) -> RequestKind {
        try checkMethod(method)
        for field in fields { try check(field) }
        // A colon, a space, CR and LF go with each field.
        let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size <= maximumSize else {
            throw ServiceError(.invalidRequest, "The fields of a request may have \(maximumSize / 1024) KiB together.")
        }
        let ranges = fields.filter { $0.isNamed("Range") }
        var range: OwnRange?
        if let field = ranges.first {
            range = OwnRange(field.value.trimmingFieldSpace)
            guard ranges.count == 1, range != nil else {
                throw ServiceError(
                    .invalidRequest,
                    "“Range: \(field.value.escapingControls)” is not one byte range such as “bytes=0-499”.")
            }
        }
        let isConditional = fields.contains { $0.name.lowercased().hasPrefix("if-") }
        let isCoded = fields.contains { $0.isNamed("Accept-Encoding") && !AcceptedCodings.areIdentity($0.value) }
        if method != "GET" || isConditional || isCoded && range != nil { return .raw }
        return isCoded ? .coded : range.map(RequestKind.ownRange) ?? .plain
    }

    /// Checks that a method is one by which something can be fetched.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package static func checkMethod(_ method: String) throws(ServiceError) {
        guard isToken(method) else {
            throw ServiceError(.invalidRequest, "“\(method.escapingControls)” is no HTTP method.")
        }
        // Its answer is a tunnel, and what comes out of that is no response.
        guard method.uppercased() != "CONNECT" else {
            throw ServiceError(.invalidRequest, "The method CONNECT opens a tunnel and fetches nothing; use GET.")
        }
    }

    private static let reserved: Set<String> = [
        "host", "connection", "keep-alive", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect",
    ]

    private static func check(_ field: HeaderField) throws(ServiceError) {
        let shown = field.name.escapingControls
        guard isToken(field.name) else {
            throw ServiceError(.invalidRequest, "“\(shown)” is no name of an HTTP field.")
        }
        let name = field.name.lowercased()
        guard !reserved.contains(name), !name.hasPrefix("proxy-") else {
            throw ServiceError(.invalidRequest, "The field “\(shown)” is Ferry's own and cannot be set.")
        }
        // The value may be a secret, so the sentence does not show it.
        guard
            !field.value.unicodeScalars.contains(where: { scalar in
                scalar != "\t" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
            })
        else {
            throw ServiceError(.invalidRequest, "The value of the field “\(shown)” has a control character.")
        }
    }

    /// Whether the text is a token of RFC 9110 §5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

/// What happens to a caller's fields when a redirect leads to another origin.
package enum ForeignFields: String, Codable, Sendable {
    /// Only the fields that say what is asked, and which program asks, go along.
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
