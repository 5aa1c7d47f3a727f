import FerryCore
import FerryRules
import Synchronization

/// Asks the client of a transfer or load, one question at a time.
///
/// A client may never answer. Waiting tasks continue as soon as the answer is not needed.
final class ClientQuestions: Sendable {
    private struct State {
        var isGivenUp = false
        /// Ends the wait for the current answer.
        var giveUp: (@Sendable () -> Void)?
    }

    let advisor: any ExchangeAdvisor
    private let state = Mutex(State())

    init(_ advisor: any ExchangeAdvisor) { self.advisor = advisor }

    /// Waits for an answer of the client.
    ///
    /// - Throws: ``ExchangeEnd/stopped`` after ``giveUp()``.
    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (any ExchangeAdvisor) async -> Answer
    ) async throws(ServiceError) -> Answer {
        let answer = Once<Answer>()
        let advisor = advisor
        let task = Task(name: "question to a client") { answer.settle(.success(await question(advisor))) }
        let isGivenUp = state.withLock { state in
            state.giveUp = {
                answer.settle(.failure(ExchangeEnd.stopped))
                task.cancel()
            }
            return state.isGivenUp
        }
        if isGivenUp { giveUp() }
        defer { state.withLock { $0.giveUp = nil } }
        return try await answer.result().get()
    }

    /// Ends the wait for the current answer and for all later ones. Repeated calls have no effect.
    func giveUp() {
        let giveUp = state.withLock { state in
            state.isGivenUp = true
            return state.giveUp.take()
        }
        giveUp?()
    }
}
