/// The kind of transfer that the caller's method and fields request.
package enum RequestKind: Hashable, Sendable {
    /// A GET that Ferry may resume and split into parts.
    case plain
    /// The file is one range of the resource: one worker, which resumes within the range.
    case ownRange(OwnRange)
    /// The response may use a coding that the caller accepts: one worker, which resumes only an unencoded response.
    case coded
    /// The file is the final response, whatever it is: one worker, no resuming.
    case raw
}

/// Validates the fields of a caller's request.
package enum RequestFieldRule {
    /// Maximum size of all fields together, in bytes on the wire.
    package static let maximumSize = 64 * 1024

    /// Validates method and fields and returns the kind of transfer they request.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package static func kind(method: String, fields: [HeaderField]) throws(ServiceError) -> RequestKind {
        try checkMethod(method)
        for field in fields { try check(field) }
        // Each field adds a colon, a space, CR and LF.
        let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size <= maximumSize else {
            throw ServiceError(
                .invalidRequest, "The header fields of a request may have at most \(maximumSize / 1024) KiB in total.")
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

    /// Validates a method.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`.
    package static func checkMethod(_ method: String) throws(ServiceError) {
        guard isToken(method) else {
            throw ServiceError(.invalidRequest, "“\(method.escapingControls)” is not an HTTP method.")
        }
        // CONNECT opens a tunnel instead of returning a response.
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
            throw ServiceError(.invalidRequest, "“\(shown)” is not a valid HTTP field name.")
        }
        let name = field.name.lowercased()
        guard !reserved.contains(name), !name.hasPrefix("proxy-") else {
            throw ServiceError(.invalidRequest, "The field “\(shown)” is set by Ferry and cannot be changed.")
        }
        // The value may be a secret, so the message does not contain it.
        guard
            !field.value.unicodeScalars.contains(where: { scalar in
                scalar != "\t" && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value))
            })
        else {
            throw ServiceError(.invalidRequest, "The value of the field “\(shown)” has a control character.")
        }
    }

    /// Whether the text is a token of RFC 9110 §5.6.2.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

/// The fields that are kept when a redirect changes the origin.
package enum ForeignFields: String, Codable, Sendable {
    /// Keeps only fields that describe the requested representation and the client program.
    case drop
    /// Keeps all but credentials and cookies, as on Apple's systems.
    case keep
}

/// Selects the fields for a request's origin.
package enum RequestFields {
    /// The caller's fields for an origin.
    ///
    /// `Range` is always kept: it is no secret, and without it another part of the resource would arrive.
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

    /// A `Referer` value without userinfo and fragment, or nil if it is not a URL.
    package static func referer(_ value: String) -> String? {
        try? HTTPURL(parsing: value).withoutFragment.string
    }
}
