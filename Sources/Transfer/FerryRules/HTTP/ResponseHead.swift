package import FerryCore

/// Status and fields of a final response, and its URL.
package struct ResponseHead: Hashable, Sendable {
    package let status: Int
    /// Major version of HTTP: 1 or 2.
    package let major: Int
    package let fields: [HeaderField]
    /// The requested URL, after redirects.
    package let url: String
    /// The origin of that URL.
    package let origin: Origin

    package init(status: Int, major: Int = 1, fields: [HeaderField], url: String, origin: Origin) {
        self.status = status
        self.major = major
        self.fields = fields
        self.url = url
        self.origin = origin
    }

    /// All values of a field, in order, without surrounding whitespace.
    package func values(_ name: String) -> [String] {
        var values: [String] = []
        for field in fields where field.isNamed(name) { values.append(field.value.trimmingFieldSpace) }
        return values
    }

    /// The value of a field. Several fields with one name are joined by commas (RFC 9110 §5.3).
    package func value(_ name: String) -> String? { fields.value(name) }

    /// The stated length of the body, if it is a single number.
    package var contentLength: Int64? {
        if case .length(let length)? = try? statedFraming() { length } else { nil }
    }

    /// The content codings without `identity`.
    package var contentEncodings: [String] { codings("Content-Encoding") }

    package var contentRange: ContentRange? { value("Content-Range").flatMap(ContentRange.init) }

    package var retryAfter: String? { value("Retry-After") }

    /// The media type in lower case, without parameters.
    package var mediaType: String? { value("Content-Type")?.mediaType }

    /// The complete length of the representation, if the head states it.
    package var completeLength: Int64? {
        switch status {
        case 206, 416: contentRange?.complete
        case 204, 205: 0
        default: contentLength
        }
    }

    /// The version as clients see it: `HTTP/1.1` or `HTTP/2`.
    package var version: String { major >= 2 ? "HTTP/2" : "HTTP/1.1" }

    /// The protocol's id in ALPN (RFC 7301): `http/1.1` or `h2`.
    package var networkProtocol: String { major >= 2 ? "h2" : "http/1.1" }

    /// The response as it is recorded and shown to clients.
    package var facts: ResponseFacts {
        var facts = ResponseFacts(url: url, status: status, version: version, fields: fields)
        let digests = DigestFields(self).representation
        if !digests.isEmpty { facts.digests = digests }
        return facts
    }

    private func codings(_ name: String) -> [String] {
        guard fields.contains(where: { $0.isNamed(name) }) else { return [] }
        return values(name).flatMap { $0.split(separator: ",") }
            .map { String($0).trimmingFieldSpace.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }
}

extension ResponseHead {
    /// How the body ends, for a method whose response has one.
    package var framing: BodyFraming {
        if [204, 205, 304].contains(status) { return .length(0) }
        return (try? statedFraming()) ?? (major >= 2 ? .chunked : .untilClose)
    }

    /// Why the framing is ambiguous or unreadable (docs/behaviour/transfers.md#R5), or nil if it is not.
    package var framingFault: String? {
        do throws(HeadFault) {
            _ = try statedFraming()
            return nil
        } catch {
            return error.text
        }
    }

    /// HTTP/2 has no transfer codings.
    private func statedFraming() throws(HeadFault) -> BodyFraming? {
        // Evaluated several times per head, and nearly all heads have one length.
        if let length = onlyLength { return .length(length) }
        return try BodyFraming.stated(
            lengths: values("Content-Length"), codings: major == 1 ? values("Transfer-Encoding") : [])
    }

    /// The length of a head with a single numeric length and no transfer coding.
    private var onlyLength: Int64? {
        var only: String?
        for field in fields {
            if field.isNamed("Transfer-Encoding") { return nil }
            guard field.isNamed("Content-Length") else { continue }
            guard only == nil else { return nil }
            only = field.value
        }
        return only.flatMap { Int64(digits: $0) }
    }
}

/// Messages about responses.
extension ResponseHead {
    /// The target of `Location`, if there is exactly one.
    var location: String? {
        let values = Set(values("Location"))
        return values.count == 1 ? values.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// The `Location` of a redirect that can be followed, otherwise nil (RFC 9110 §15.4).
    var redirectTarget: String? { [301, 302, 303, 307, 308].contains(status) ? location : nil }

    /// The URL without userinfo and query values.
    var shownURL: String { (try? HTTPURL(parsing: url))?.redacted ?? origin.description }

    func error(_ code: ErrorCode, _ message: String, as errorClass: ErrorClass? = nil) -> ServiceError {
        ServiceError(code, message, details: ErrorDetails(httpStatus: status, url: shownURL), as: errorClass)
    }

    /// The error of a status, with optional advice.
    func statusError(_ code: ErrorCode, _ advice: String? = nil, as errorClass: ErrorClass? = nil) -> ServiceError {
        let fact = "The server responded with \(StatusPhrase.describe(status)) for \(shownURL)"
        return error(code, advice.map { "\(fact); \($0)." } ?? "\(fact).", as: errorClass)
    }
}
