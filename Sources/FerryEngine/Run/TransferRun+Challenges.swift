// Ferry: FerryEngine
// Servers and proxies that want credentials, and whom to ask for them.

import FerryCore
import Foundation
import NIOHTTP1

extension TransferRun {
    /// Waits for an answer of the advisor, but not longer than the try goes on.
    func asked<Answer: Sendable>(
        _ ask: @escaping @Sendable () async -> Answer
    ) async throws(TransferError) -> Answer {
        try checkStopping()
        let answer = Once<Answer>()
        let task = Task(name: "question of \(job.id)") { answer.settle(.success(await ask())) }
        giveUpQuestion = {
            answer.settle(.failure(ExchangeEnd.stopped))
            task.cancel()
        }
        defer { giveUpQuestion = nil }
        return try await answer.result().get()
    }

    /// Adds what the origin has asked for; to a server that has not asked, no password is sent.
    func authorize(_ headers: inout HTTPHeaders, _ course: Course) {
        let url = course.url
        let value = authenticators[url.origin]?.authorization(
            method: course.method, target: url.requestTarget, clientNonce: DigestHashing.clientNonce(),
            digester: DigestHashing.digest)
        if let value { headers.replaceOrAdd(name: "Authorization", value: value) }
    }

    /// Whether a 401 or 407 was answered, so that the request is to be made again.
    ///
    /// Without an advisor, the credentials that the user gave for the origin are the answer.
    func answersChallenge(
        _ head: ResponseHead, _ exchange: Exchange, _ course: inout Course
    ) async throws(TransferError) -> Bool {
        let url = course.url
        guard head.status == 401 || head.status == 407 else {
            authenticators[url.origin]?.accepted()
            return false
        }
        guard job.advisor != nil || (head.status == 401 && !hasOwnAuthorization(course)) else { return false }
        var authenticator = authenticators[url.origin] ?? Authenticator()
        var next = authenticator.received(
            head, host: url.host, port: url.port, isSecure: url.isSecure, proposed: credentials(for: course))
        while case .ask(let challenge) = next {
            var answer = ChallengeAnswer.performDefault
            if let advisor = job.advisor { answer = try await asked { await advisor.answer(challenge) } }
            next = authenticator.answered(answer)
        }
        authenticators[url.origin] = authenticator
        switch next {
        case .send:
            await exchange.discard()
            return true
        case .cancel:
            await exchange.close()
            throw TransferError(.canceled, "The credentials for \(url.host) were not given.")
        case .wait(let challenge):
            await exchange.close()
            pendingChallenge = .authentication(challenge)
            throw PendingChallenge.authentication(challenge).error
        case .result, .ask: return false
        }
    }

    private func hasOwnAuthorization(_ course: Course) -> Bool {
        course.given(job.request.foreignFields).contains { $0.isNamed("Authorization") }
    }

    /// The credentials at hand for the URL that was asked; on the way back from another origin they are its own again.
    private func credentials(for course: Course) -> Credentials? {
        if let proposed = course.proposed { return proposed }
        guard job.advisor == nil, let home = try? originalURL.get().origin, course.url.origin == home else {
            return nil
        }
        return job.credentials
    }

    /// Whether credentials for the proxy were given.
    ///
    /// The HTTP client does not pass on what the proxy said, so Basic is what is asked about.
    func answersProxy(_ error: TransferError, _ url: HTTPURL) async throws(TransferError) -> Bool {
        guard let proxy = try proxy(for: url), let advisor = job.advisor else { return false }
        if proxy.credentials != nil { proxyFailures += 1 }
        var challenge = AuthenticationChallenge(
            scheme: .basic, realm: nil, host: proxy.host, port: proxy.port, isSecure: false, isProxy: true)
        challenge.previousFailures = proxyFailures
        let question = challenge
        switch try await asked({ await advisor.answer(question) }) {
        case .credentials(let credentials):
            proxyCredentials = credentials
            return true
        case .cancel: throw TransferError(.canceled, "The credentials for the proxy were not given.")
        case .wait:
            pendingChallenge = .authentication(challenge)
            throw error
        case .performDefault, .rejectProtectionSpace: return false
        }
    }
}
