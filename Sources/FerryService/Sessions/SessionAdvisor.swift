import FerryCore

/// Answers for one transfer of a client that may not be there: by what its session's client has answered before.
struct SessionAdvisor: ExchangeAdvisor {
    let id: TransferID
    let memory: SessionMemory
    /// Makes the session's cookies durable.
    let save: @Sendable (TransferCookies) async -> Void

    func cookies(for url: HTTPURL) async -> String? { memory.cookies(for: url) }

    func receivedCookies(_ fields: [String], from url: HTTPURL) async {
        if let changed = memory.receive(fields, from: url) { await save(changed) }
    }

    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer { .follow }

    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer { memory.answer(challenge, of: id) }

    func answer(_ challenge: TrustChallenge) async -> TrustAnswer { memory.answer(challenge) }
}
