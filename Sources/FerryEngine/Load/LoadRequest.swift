package import FerryCore
package import Foundation

/// A request whose response is streamed to its reader, with what it may do on the way.
package struct LoadRequest: Sendable {
    package var url: String
    package var method: String
    /// The caller's fields; the fields that frame the message or name the host are left to Ferry.
    package var fields: [HeaderField]
    package var body: LoadBody
    /// Seconds without anything sent or received, nil without limit; time in which the caller decides or does not read does
    /// not count.
    package var idleTimeout: Double? = 60
    /// Proxy variables; nil takes the engine's.
    package var proxyEnvironment: [String: String]?
    package var minimumTLS: TLSVersion?
    package var maximumTLS: TLSVersion?
    /// Whether gzip and deflate are asked for and taken off.
    package var decodes = true
    /// Whether any certificate will do.
    package var insecure = false
    /// What default handling of a challenge sends to the first origin, before the URL's own.
    package var credentials: Credentials?
    /// Whether its body is an upload, which goes on after a cut where the server can resume it; a file always is.
    package var isUpload = false
    /// The state that an earlier load left of the upload.
    package var continues: UploadFacts?
    /// The file as it was when the upload began that it continues; another one is not sent.
    package var sentFile: RequestBody.SentFile?
    /// Certificates that were answered for, shared among the requests of one client.
    package var trust: TrustScope?

    /// The body of an upload; nil where it can be sent once only.
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

/// What a streamed request sends.
package enum LoadBody: Sendable {
    case none
    case bytes(Data)
    /// An upload that is read while it is sent; missing, unreadable and changed files are errors.
    case file(path: String)
    case stream(any LoadBodySource, length: Int64?)
}

/// A body that comes piece by piece.
package protocol LoadBodySource: Sendable {
    /// The next piece; nil at the end.
    func next() async throws -> Data?
    /// The same body from its beginning, for a request that has to be sent again; nil if there is none.
    func rewound() async throws -> (any LoadBodySource)?
}
