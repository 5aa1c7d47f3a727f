// Ferry: FerryTesting
// An answer before it becomes bytes.

package import FerryCore

/// An answer of the origin: a head, a body and how the one frames the other.
package struct OriginResponse: Sendable {
    package enum Framing: Hashable, Sendable {
        /// No body and no field about one: 204, 304.
        case none
        case length
        case chunked
        case untilClose
        /// Two Content-Length fields that differ.
        case twoLengths
        case lengthAndChunked
        /// A first chunk whose size is this text.
        case badChunk(String)
    }

    package var version = "HTTP/1.1"
    package var status: Int
    package var fields: [HeaderField] = []
    package var content: [OriginContent] = []
    package var framing = Framing.length
    /// Added to the true length in Content-Length.
    package var lengthError: Int64 = 0
    /// For HEAD: the head of the answer and nothing else.
    package var omitsBody = false

    package init(status: Int, fields: [HeaderField] = [], content: [OriginContent] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// An answer with a short text as its body.
    package init(status: Int, text: String, type: String = "text/plain", fields: [HeaderField] = []) {
        self.init(
            status: status, fields: [HeaderField(name: "Content-Type", value: type)] + fields,
            content: [.bytes(Array(text.utf8))])
    }

    package mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.isNamed(name) }
        if let value { fields.append(HeaderField(name: name, value: value)) }
    }

    package mutating func add(_ name: String, _ value: String) {
        fields.append(HeaderField(name: name, value: value))
    }

    /// The bytes of the head with its empty line.
    package var head: [UInt8] { Array((statusLine + fieldLines + "\r\n").utf8) }

    package var statusLine: String { "\(version) \(status) \(Self.reasons[status] ?? "Status")\r\n" }

    package var fieldLines: String {
        (fields + framingFields).map { "\($0.name): \($0.value)\r\n" }.joined()
    }

    private var framingFields: [HeaderField] {
        let length = HeaderField(name: "Content-Length", value: "\(content.byteCount + lengthError)")
        let chunked = HeaderField(name: "Transfer-Encoding", value: "chunked")
        return switch framing {
        case .none, .untilClose: []
        case .length: [length]
        case .chunked, .badChunk: [chunked]
        case .twoLengths: [length, HeaderField(name: "Content-Length", value: "\(content.byteCount + 1)")]
        case .lengthAndChunked: [length, chunked]
        }
    }

    package var isChunked: Bool { framing == .chunked || framing == .lengthAndChunked }

    private static let reasons = [
        200: "OK", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 410: "Gone", 412: "Precondition Failed",
        416: "Range Not Satisfiable", 421: "Misdirected Request", 429: "Too Many Requests",
        500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        511: "Network Authentication Required",
    ]
}
