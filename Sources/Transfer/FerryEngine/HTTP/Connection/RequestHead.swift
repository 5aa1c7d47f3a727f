import FerryCore
import NIOCore
import NIOHPACK
import NIOHTTP1

/// A request without its body, as a connection sends it.
struct RequestHead: Hashable, Sendable {
    let method: String
    let url: HTTPURL
    /// The request target (RFC 9112 §3.2), exactly as in the URL. The absolute URL for a proxy that forwards the request.
    let target: String
    /// All fields in wire order, except `Content-Length` and `Transfer-Encoding`.
    let fields: [HeaderField]

    /// - Throws: ``ServiceError`` with code `invalid_request` if a part of the head would not be read as such.
    init(_ method: String, _ url: HTTPURL, _ fields: [HeaderField], proxy: ProxyChoice?) throws(ServiceError) {
        let isForwarded = proxy?.tunnels(to: url) == false
        self.method = method
        self.url = url
        target = isForwarded ? "\(url.scheme)://\(url.hostField)\(url.requestTarget)" : url.requestTarget
        // The body has one framing, and the connection decides about it.
        var fields = fields.filter { !$0.isNamed("Content-Length") && !$0.isNamed("Transfer-Encoding") }
        if isForwarded, let credentials = proxy?.credentials {
            fields.removeAll { $0.isNamed("Proxy-Authorization") }
            fields.append(HeaderField(name: "Proxy-Authorization", value: credentials.basicAuthorization))
        }
        self.fields = fields
        guard RequestFieldRule.isToken(method), target.isSafeInTarget,
            fields.allSatisfy({ RequestFieldRule.isToken($0.name) && $0.value.isSafeInField })
        else {
            throw ServiceError(.invalidRequest, "The request to “\(url.redacted)” has characters that HTTP forbids.")
        }
    }

    /// Methods for which no body is expected (RFC 9110 §9.3).
    private static let withoutContent: Set<String> = ["GET", "HEAD", "DELETE", "CONNECT", "TRACE"]

    /// The framing of the body, or `nil` for a request that has none and needs no field for it (RFC 9110 §8.6).
    func framing(of body: RequestBodyStream?) -> HeaderField? {
        guard let body else {
            return Self.withoutContent.contains(method) ? nil : HeaderField(name: "Content-Length", value: "0")
        }
        return body.length.map { HeaderField(name: "Content-Length", value: String($0)) }
            ?? HeaderField(name: "Transfer-Encoding", value: "chunked")
    }

    /// The head in HTTP/1.1 syntax, with its empty line.
    func bytes(with body: RequestBodyStream?, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var bytes = allocator.buffer(capacity: 512)
        bytes.writeString("\(method) \(target) HTTP/1.1\r\n")
        func write(_ field: HeaderField) {
            bytes.writeString(field.name)
            bytes.writeStaticString(": ")
            bytes.writeString(field.value)
            bytes.writeStaticString("\r\n")
        }
        for field in fields { write(field) }
        if let framing = framing(of: body) { write(framing) }
        bytes.writeStaticString("\r\n")
        return bytes
    }

    /// The head as a block of HTTP/2 (RFC 9113 §8.3.1).
    var block: HPACKHeaders {
        var block = HPACKHeaders()
        block.add(name: ":method", value: method)
        block.add(name: ":scheme", value: url.scheme)
        block.add(name: ":authority", value: fields.first { $0.isNamed("Host") }?.value ?? url.hostField)
        block.add(name: ":path", value: target)
        for field in fields where !Self.ofConnection.contains(where: field.isNamed) {
            block.add(name: field.name.lowercased(), value: field.value)
        }
        return block
    }

    /// Fields that HTTP/2 forbids (RFC 9113 §8.2.2), and the one that a pseudo-field replaces.
    private static let ofConnection = ["Host", "Connection", "Keep-Alive", "Proxy-Connection", "Upgrade", "TE"]

    /// Size in HTTP/1.1 syntax, in bytes.
    func size(with body: RequestBodyStream?) -> Int64 {
        let framing = framing(of: body).map { [$0] } ?? []
        return Int64(method.utf8.count + target.utf8.count + 14) + (fields + framing).wireSize
    }
}

extension [HeaderField] {
    /// Size in HTTP/1.1 syntax, in bytes: each field adds a colon, a space, CR and LF.
    var wireSize: Int64 { reduce(0) { $0 + Int64($1.name.utf8.count + $1.value.utf8.count + 4) } }
}

extension String {
    /// Whether this is a field value without characters that end it (RFC 9110 §5.5).
    fileprivate var isSafeInField: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Whether this is a request target without characters that end it (RFC 9112 §3.2).
    fileprivate var isSafeInTarget: Bool { !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
}
