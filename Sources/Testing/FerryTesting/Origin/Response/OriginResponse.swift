import Crypto
package import FerryCore
import Foundation

/// A response of the origin: head, body and framing.
package struct OriginResponse: Sendable {
    package enum Framing: Hashable, Sendable {
        /// No body and no field about one: 204, 304.
        case none
        case length
        case chunked
        case untilClose
        /// Two different Content-Length fields.
        case twoLengths
        case lengthAndChunked
        /// A first chunk with this text as its size.
        case badChunk(String)
    }

    package var version = "HTTP/1.1"
    package var status: Int
    package var fields: [HeaderField] = []
    package var content: [OriginContent] = []
    package var framing = Framing.length
    /// Sent after a chunked body.
    package var trailers: [HeaderField] = []
    /// Added to the actual length in Content-Length.
    package var lengthError: Int64 = 0
    /// True for HEAD: only the head is sent.
    package var omitsBody = false

    package init(status: Int, fields: [HeaderField] = [], content: [OriginContent] = []) {
        self.status = status
        self.fields = fields
        self.content = content
    }

    /// Creates a response with a short text as its body.
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

    /// The bytes of the head, including the empty line.
    package var head: [UInt8] { Array((statusLine + fieldLines + "\r\n").utf8) }

    package var statusLine: String { "\(version) \(status) \(Self.reasons[status] ?? "Status")\r\n" }

    package var fieldLines: String { Self.lines(fields + framingFields) }

    /// The last chunk and the trailers.
    package var trailer: [UInt8] { Array(("0\r\n" + Self.lines(trailers) + "\r\n").utf8) }

    private static func lines(_ fields: [HeaderField]) -> String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
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

/// The effects of modes on fields and framing.
extension OriginResponse {
    /// Applies a mode that changes fields or framing.
    package mutating func apply(_ mode: OriginMode, resource: OriginResource) {
        switch mode {
        case .field(let name, let value): add(name, value)
        case .disposition(let value): add("Content-Disposition", value)
        case .digest(let field, let truth): fields.append(digest(field, truth, resource))
        case .trailingDigest(let field, let truth):
            framing = .chunked
            trailers.append(digest(field, truth, resource))
        case .gzipAnyway(let codings): compress(codings: codings)
        case .headFlood(.bigField(let bytes)): add("X-Flood", String(repeating: "f", count: bytes))
        case .headFlood(.manyFields(let count)): for index in 0..<count { add("X-Flood-\(index)", "f") }
        case .chunked, .chunkCut: framing = .chunked
        case .untilClose:
            version = "HTTP/1.0"
            framing = .untilClose
        case .tlsTruncate: framing = .untilClose
        case .lengthTooLong(let excess): lengthError = excess
        case .lengthTooShort(let missing): lengthError = -missing
        case .twoLengths: framing = .twoLengths
        case .lengthAndChunked: framing = .lengthAndChunked
        case .badChunkSize(let text): framing = .badChunk(text)
        default: break
        }
    }

    private func digest(_ field: DigestField, _ truth: DigestTruth, _ resource: OriginResource) -> HeaderField {
        let digest =
            switch field {
            case .repr: resource.body.digest(.sha256, of: 0..<resource.body.size)
            case .content: contentDigest
            }
        let value =
            switch truth {
            case .right: "sha-256=:\(Data(digest).base64EncodedString()):"
            case .wrong: "sha-256=:\(Data(digest.map { ~$0 }).base64EncodedString()):"
            case .foreign: "x-unknown=:\(Data(digest.prefix(8)).base64EncodedString()):"
            }
        return HeaderField(name: field.rawValue, value: value)
    }

    private var contentDigest: [UInt8] {
        switch content.first {
        case .seeded(let body, let range) where content.count == 1: body.digest(.sha256, of: range)
        default: Array(SHA256.hash(data: content.flatMap(\.bytes)))
        }
    }

    /// Compresses the body of a 200 with gzip. Other responses only get the Content-Encoding.
    private mutating func compress(codings: Int) {
        if status == 200 { content = [.bytes(StoredGzip.encode(content.flatMap(\.bytes)))] }
        add("Content-Encoding", Array(repeating: "gzip", count: codings).joined(separator: ", "))
    }
}
