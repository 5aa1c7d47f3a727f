package import FerryCore

/// Decides redirects, challenges and cookies for an exchange.
///
/// Called from any task. A slow answer delays only that exchange, and the exchange's timeouts are suspended meanwhile.
package protocol ExchangeAdvisor: Sendable {
    /// Returns the `Cookie` value for a request, or nil to send none.
    func cookies(for url: HTTPURL) async -> String?
    /// Stores the `Set-Cookie` fields of a response.
    func receivedCookies(_ fields: [String], from url: HTTPURL) async
    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer
    /// Answers a 401 or 407 response.
    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer
    /// Decides whether to trust a server's certificates.
    func answer(_ challenge: TrustChallenge) async -> TrustAnswer
}

/// A redirect that waits for the client's decision.
package struct ProposedRedirect: Hashable, Sendable {
    /// The head of the redirect.
    package var head: ResponseHead
    package var url: String
    package var method: String
    /// The client's fields as Ferry would send them.
    package var fields: [HeaderField]
    /// Whether the body is sent again.
    package var keepsBody: Bool

    package init(head: ResponseHead, url: String, method: String, fields: [HeaderField], keepsBody: Bool) {
        self.head = head
        self.url = url
        self.method = method
        self.fields = fields
        self.keepsBody = keepsBody
    }
}

/// The client's decision about a redirect.
package enum RedirectAnswer: Hashable, Sendable {
    case follow
    /// Sends another request instead, with these fields.
    case followOther(url: String, method: String, fields: [HeaderField])
    /// The redirect response is the final response.
    case stay
    /// Cancels the transfer.
    case cancel
}
