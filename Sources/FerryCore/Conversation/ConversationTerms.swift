/// What a conversation goes by from its first request to its last.
package struct ConversationTerms: Sendable {
    /// The origin that the caller's fields, body and credentials were given for.
    package var home: Origin
    package var method = "GET"
    /// The caller's fields.
    package var fields: [HeaderField] = []
    package var hasBody = false
    package var credentials: Credentials?
    /// Cookies that the client had when it made the request.
    package var cookies: [GivenCookie] = []
    package var foreignFields = ForeignFields.drop
    package var redirects = RedirectPolicy()
    /// Whether only the number of redirects ends a circle: a server may answer the same request otherwise the next time.
    package var followsCircles = false
    /// Whether a client answers challenges and redirects, and keeps the cookies.
    package var asksClient = false
    /// Whether a `Cookie` field of the caller's takes the place of stored cookies; else they go along with it.
    package var ownCookieWins = false
    /// Whether the attempt can be made again when a server asks to come later.
    package var comesBack = true
    /// What is asked for where the caller names no coding.
    package var acceptEncoding = "identity"
    /// The variables that name proxies.
    package var environment: [String: String] = [:]

    package init(home: Origin) { self.home = home }
}

/// Why no head came.
package enum RequestFailure: Hashable, Sendable {
    /// The server had given up a kept connection (docs/behaviour/transfers.md#T4).
    case staleConnection
    /// A connection that was opened early was gone before anything was asked on it.
    case unusedConnection
    /// The server was offered HTTP/2 and did not answer over it.
    case notOverHTTP2
    /// The proxy wants credentials.
    case proxyRefused
    case other
}

/// Whether a request may be made twice.
package enum RepetitionRule {
    /// Methods of which several requests mean what one means (RFC 9110 §9.2.2).
    private static let idempotent: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    /// - Parameter wasSent: whether the server may have seen the whole request.
    package static func mayRepeat(_ method: String, wasSent: Bool) -> Bool { !wasSent || idempotent.contains(method) }
}
