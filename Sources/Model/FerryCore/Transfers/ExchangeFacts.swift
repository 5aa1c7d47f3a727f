package import FerryFoundation

/// Times and counts of one request and its response, as far as known.
package struct ExchangeFacts: Hashable, Codable, Sendable {
    package var url: String
    package var method: String
    package var response: ResponseFacts?
    /// The sent fields, without `Authorization`, `Proxy-Authorization` and `Cookie`.
    package var fields: [HeaderField] = []
    /// `http/1.1` or `h2`.
    package var networkProtocol: String?
    package var localAddress: String?
    package var localPort: Int?
    package var remoteAddress: String?
    package var remotePort: Int?
    package var fetchStart: Date?
    package var domainLookupStart: Date?
    package var domainLookupEnd: Date?
    package var connectStart: Date?
    package var secureConnectionStart: Date?
    package var secureConnectionEnd: Date?
    package var connectEnd: Date?
    package var requestStart: Date?
    package var requestEnd: Date?
    package var responseStart: Date?
    package var responseEnd: Date?
    package var isProxyConnection = false
    package var isReusedConnection = false
    package var requestHeaderBytes: Int64 = 0
    package var requestBodyBytes: Int64 = 0
    package var responseHeaderBytes: Int64 = 0
    /// Bytes on the wire.
    package var responseBodyBytes: Int64 = 0
    /// Bytes after decoding.
    package var decodedBodyBytes: Int64 = 0
    package var tlsVersion: TLSVersion?
    /// Number of the cipher suite (RFC 8446 §B.4).
    package var tlsCipherSuite: UInt16?

    package init(url: String, method: String) {
        self.url = url
        self.method = method
    }
}

/// The final response of a transfer, as shown to clients.
package struct ResponseFacts: Hashable, Codable, Sendable {
    /// The URL of the last request.
    package var url: String
    package var status: Int
    /// `HTTP/1.1` or `HTTP/2`.
    package var version: String
    package var fields: [HeaderField]
    /// The server's SHA-256 and SHA-512 digests of the whole file (RFC 9530, RFC 3230). Nil for none.
    package var digests: [Checksum]?

    package init(url: String, status: Int, version: String, fields: [HeaderField]) {
        self.url = url
        self.status = status
        self.version = version
        self.fields = fields
    }
}
