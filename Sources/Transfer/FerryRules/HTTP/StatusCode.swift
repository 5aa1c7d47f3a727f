import FerryCore

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
