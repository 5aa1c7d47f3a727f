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
    package func value(_ name: String) -> String? {
        var joined: String?
        for field in fields where field.isNamed(name) {
            let value = field.value.trimmingFieldSpace
            joined = joined.map { "\($0), \(value)" } ?? value
        }
        return joined
    }

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

extension String {
    /// The text without leading and trailing spaces and tabs.
    package var trimmingFieldSpace: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let first = utf8.first, let last = utf8.last, isSpace(first) || isSpace(last) else { return self }
        var slice = utf8[...]
        while let first = slice.first, isSpace(first) { slice.removeFirst() }
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return String(Substring(slice))
    }

    /// The media type of a `Content-Type` value, in lower case without parameters.
    var mediaType: String {
        String(Substring(utf8.prefix { $0 != UInt8(ascii: ";") })).trimmingFieldSpace.lowercased()
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

/// One field line of an HTTP head, with its original spelling (RFC 9110 §5).
package struct HeaderField: Hashable, Codable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Whether this field has the given name; field names ignore case (RFC 9110 §5.1).
    package func isNamed(_ other: String) -> Bool {
        // Names are ASCII: comparing them needs no new strings.
        name.utf8.count == other.utf8.count
            && zip(name.utf8, other.utf8).allSatisfy { $0 == $1 || Self.lowercased($0) == Self.lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// A valid status code (RFC 9110 §15).
///
/// HTTP codecs and clients trap on invalid codes and on a 101 followed by another head, so each head is checked first.
package struct StatusCode: Hashable, Sendable {
    /// 100 to 999. Codes of 600 and above have no defined meaning.
    package let number: Int

    /// - Throws: ``HeadFault`` for a byte that is not a digit, for a number below 100, and for 101: Ferry never
    ///   requests an upgrade (RFC 9110 §15.2.2).
    package init(digits first: UInt8, _ second: UInt8, _ third: UInt8) throws(HeadFault) {
        let digits = [first, second, third]
        guard digits.allSatisfy({ 0x30...0x39 ~= $0 }), first != 0x30 else { throw Self.fault(digits) }
        number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard number != 101 else { throw HeadFault(text: "a protocol switch that was not requested") }
    }

    /// - Throws: ``HeadFault`` for text other than three digits, and as above.
    package init(_ text: String) throws(HeadFault) {
        let digits = Array(text.utf8.prefix(4))
        guard digits.count == 3 else { throw Self.fault(digits) }
        try self.init(digits: digits[0], digits[1], digits[2])
    }

    /// Whether another head of the same response follows (RFC 9110 §15.2).
    package var isInformational: Bool { number < 200 }

    private static func fault(_ digits: [UInt8]) -> HeadFault {
        HeadFault(text: "the status “\(String(decoding: digits, as: UTF8.self).escapingControls)”")
    }
}

/// Standard reason phrases for messages. The server's own phrase is not shown.
enum StatusPhrase {
    /// The number with its standard phrase, or the number alone.
    static func describe(_ status: Int) -> String {
        phrase(status).map { "\(status) \($0)" } ?? "\(status)"
    }

    private static func phrase(_ status: Int) -> String? {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 305: "Use Proxy"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 416: "Range Not Satisfiable"
        case 421: "Misdirected Request"
        case 425: "Too Early"
        case 429: "Too Many Requests"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 511: "Network Authentication Required"
        default: nil
        }
    }
}
