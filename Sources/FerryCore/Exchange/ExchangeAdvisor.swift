// Ferry: FerryCore
// Who is asked while a request is under way.

/// Decides what an exchange with a server leaves to its client: redirects, challenges, cookies.
///
/// Called from any task; a slow answer holds up that exchange alone, and no timeout of the exchange runs meanwhile.
package protocol ExchangeAdvisor: Sendable {
    /// The value of the `Cookie` field for a request; nil sends none.
    func cookies(for url: HTTPURL) async -> String?
    /// Takes the `Set-Cookie` fields of a response.
    func receivedCookies(_ fields: [String], from url: HTTPURL) async
    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer
    /// Answers a 401 or 407.
    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer
    /// Answers for a server's certificates.
    func answer(_ challenge: TrustChallenge) async -> TrustAnswer
}
