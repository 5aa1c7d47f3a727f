import FerryCore
import FerryRules
import Foundation

/// Opens the connections of a conversation, in the isolation of its caller.
protocol ConversationHost: Sendable {
    /// Sends a request on a connection of the host's choice.
    func open(
        _ request: OutgoingRequest, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Exchange
    /// Called when a head was received, or none will be.
    func ended(_ exchange: Exchange, _ request: OutgoingRequest, isolation: isolated (any Actor)?) async
}

/// The outcome of a conversation.
enum ConversationEnd {
    case accepted(AcceptedExchange)
    case failed(ServiceError, later: RetryAfterResponse?)
    /// The client has to answer a challenge first.
    case waiting(PendingChallenge, ServiceError)
}

/// An accepted response with an unread body.
struct AcceptedExchange: Sendable {
    let exchange: Exchange
    let head: ResponseHead
    /// The course of the final request.
    let course: RequestCourse
    /// Number of redirects.
    let redirects: Int
    /// Seconds from the last request to its head.
    let setup: Double
    /// Why a 401 response was not answered.
    var loginRefusal = LoginRefusal.notGiven
}

extension Conversation {
    /// A head and its exchange.
    private struct Answered {
        let exchange: Exchange
        let head: ResponseHead
        let setup: Double
    }

    /// Hash and nonce functions for FerryRules' password proofs.
    static let proofs = ProofSource(digester: DigestHashing.digest, nonce: DigestHashing.clientNonce)

    /// Performs the conversation to its outcome.
    ///
    /// - Throws: The errors of `host.open`, and ``ExchangeEnd/stopped`` if the client's answer is not needed.
    mutating func carry(
        isolation: isolated (any Actor)? = #isolation, by host: some ConversationHost, _ shared: Correspondence,
        _ engine: Engine
    ) async throws(ServiceError) -> ConversationEnd {
        var step = Step.send(after: 0)
        var answered: Answered?
        while true {
            switch step {
            case .send(let pause):
                await answered?.exchange.drop()
                answered = nil
                if pause > 0 { await shared.pauses.wait(seconds: pause) }
                (step, answered) = try await send(by: host, shared, engine)
            case .ask(let question):
                do throws(ServiceError) {
                    step = try await ask(question, shared)
                } catch {
                    await answered?.exchange.close()
                    throw error
                }
            case .accept:
                guard let answered else { throw ServiceError(.internal, "An answer was accepted that has not come.") }
                return .accepted(
                    AcceptedExchange(
                        exchange: answered.exchange, head: answered.head, course: course, redirects: redirects,
                        setup: answered.setup,
                        loginRefusal: answered.head.status == 401 ? loginRefusal(shared.memory) : .notGiven))
            case .fail(let error, let later):
                await answered?.exchange.close()
                return .failed(error, later: later)
            case .wait(let challenge, let error):
                await answered?.exchange.close()
                return .waiting(challenge, error)
            }
        }
    }

    /// Sends one request.
    private mutating func send(
        isolation: isolated (any Actor)? = #isolation, by host: some ConversationHost, _ shared: Correspondence,
        _ engine: Engine
    ) async throws(ServiceError) -> (Step, Answered?) {
        var cookies: String?
        if wantsCookies, let questions = shared.questions {
            let url = course.url
            cookies = try await questions.ask { await $0.cookies(for: url) }
        }
        let request = try request(cookies: cookies, &shared.memory, Self.proofs)
        let exchange = try await host.open(request, isolation: isolation)
        let askedAt = SegmentWorkers.now
        let head: ResponseHead
        do throws(ServiceError) {
            head = try await exchange.head()
        } catch let failure {
            await host.ended(exchange, request, isolation: isolation)
            let error = await CertificateExamination(engine: engine).explained(failure, of: exchange)
            if let challenge = exchange.pendingTrust { return (.wait(.trust(challenge), error), nil) }
            var meaning = exchange.meaning(of: error)
            if meaning == .other, exchange.noteSilence(after: error) { meaning = .silentAddress }
            if meaning == .notOverHTTP2 { engine.client.refusals.note(request.url.origin) }
            return (failed(meaning, error, wasSent: exchange.mayHaveSentAll, &shared.memory), nil)
        }
        await host.ended(exchange, request, isolation: isolation)
        let setup = exchange.roundTrip ?? SegmentWorkers.now - askedAt
        if let questions = shared.questions {
            let (set, url) = (head.values("Set-Cookie"), request.url)
            if !set.isEmpty { try await questions.ask { await $0.receivedCookies(set, from: url) } }
        }
        let step = received(head, &shared.memory, now: Date())
        return (step, Answered(exchange: exchange, head: head, setup: setup))
    }

    private mutating func ask(
        isolation: isolated (any Actor)? = #isolation, _ question: Question, _ shared: Correspondence
    ) async throws(ServiceError) -> Step {
        guard let questions = shared.questions else {
            throw ServiceError(.internal, "There is no client to be asked.")
        }
        switch question {
        case .redirect(let redirect):
            return answered(try await questions.ask { await $0.redirect(redirect) }, now: Date())
        case .challenge(let challenge):
            let answer = try await questions.ask { await $0.answer(challenge) }
            return answered(answer, &shared.memory)
        }
    }
}
