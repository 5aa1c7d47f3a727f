package import FerryCore

/// The fixed parameters of a conversation.
package struct ConversationTerms: Sendable {
    /// The origin for which the caller gave fields, body and credentials.
    package var home: Origin
    package var method = "GET"
    /// The caller's fields.
    package var fields: [HeaderField] = []
    package var hasBody = false
    package var credentials: Credentials?
    /// Cookies and credentials by host, given with the request.
    package var login = LoginOptions()
    /// The list of domains for which no cookie is stored.
    package var suffixes = PublicSuffixes.none
    package var foreignFields = ForeignFields.drop
    package var redirects = RedirectPolicy()
    /// Whether redirect loops end only by the limit on redirects, because a server may respond differently next time.
    package var followsCircles = false
    /// Whether a client answers challenges and redirects, and stores cookies.
    package var asksClient = false
    /// Whether the caller's `Cookie` field replaces stored cookies. Otherwise both are sent.
    package var ownCookieWins = false
    /// Whether the attempt can be repeated when a server sends `Retry-After`.
    package var allowsLaterAttempt = true
    /// The `Accept-Encoding` value unless the caller gives one.
    package var acceptEncoding = "identity"
    /// Environment variables that name proxies.
    package var environment: [String: String] = [:]

    package init(home: Origin) { self.home = home }
}

/// The reason why a request got no response head.
package enum RequestFailure: Hashable, Sendable {
    /// The server had closed a kept-alive connection (docs/behaviour/transfers.md#T4).
    case staleConnection
    /// A connection opened early was closed before its first request.
    case unusedConnection
    /// HTTP/2 was negotiated, but the server did not respond over it.
    case notOverHTTP2
    /// The address did not respond, and the host has another one.
    case silentAddress
    /// The proxy requires credentials.
    case proxyRefused
    case other
}

/// Decides whether a request may be repeated.
package enum RepetitionRule {
    /// Idempotent methods (RFC 9110 §9.2.2).
    private static let idempotent: Set<String> = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    /// - Parameter wasSent: Whether the server may have received the whole request.
    package static func mayRepeat(_ method: String, wasSent: Bool) -> Bool { !wasSent || idempotent.contains(method) }
}
