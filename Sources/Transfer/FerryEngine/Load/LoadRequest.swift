package import FerryCore
package import Foundation

/// A request for a streamed response, with its options.
package struct LoadRequest: Sendable {
    package var url: String
    package var method: String
    /// The caller's fields, without the fields that frame the message or name the host. Ferry sets these.
    package var fields: [HeaderField]
    package var body: LoadBody
    /// Seconds without bytes sent or received. `nil` means unlimited. Time in which the caller decides or does not read
    /// is not counted.
    package var idleTimeout: Double? = 60
    /// Proxy variables. `nil` uses the engine's.
    package var proxyEnvironment: [String: String]?
    package var minimumTLS: TLSVersion?
    package var maximumTLS: TLSVersion?
    /// Whether to request and decode gzip and deflate.
    package var decodes = true
    /// Whether to accept any certificate.
    package var insecure = false
    /// Credentials that the default handling of a challenge sends to the first origin, before the URL's own.
    package var credentials: Credentials?
    /// Whether the body is an upload, resumed after a lost connection if the server supports it. A file always is.
    package var isUpload = false
    /// The upload state of an earlier load.
    package var continues: UploadFacts?
    /// The file at the beginning of the continued upload. A changed file is not sent.
    package var sentFile: RequestBody.SentFile?
    /// Accepted certificates, shared among the requests of one client.
    package var trust: TrustScope?

    /// The body of an upload, or `nil` if it can be sent only once.
    var uploaded: LoadBody? {
        switch body {
        case .file: body
        case .bytes: isUpload ? body : nil
        case .none, .stream: nil
        }
    }

    package init(
        url: String, method: String = "GET", fields: [HeaderField] = [], body: LoadBody = .none
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.body = body
    }
}

/// The body of a streamed request.
package enum LoadBody: Sendable {
    case none
    case bytes(Data)
    /// An upload that is read while it is sent. Missing, unreadable and changed files are errors.
    case file(path: String)
    case stream(any LoadBodySource, length: Int64?)
}

/// A body produced piece by piece.
package protocol LoadBodySource: Sendable {
    /// Returns the next piece, or `nil` at the end.
    func next() async throws -> Data?
    /// Returns the same body from its beginning, to send a request again. `nil` if that is impossible.
    func rewound() async throws -> (any LoadBodySource)?
}
