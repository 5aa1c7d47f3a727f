import Foundation
import FoundationNetworking
import Synchronization

/// What a task's delegate decides.
extension TaskRelay {
    /// Shows the response, and asks what becomes of it; no data come before the answer.
    func response(_ response: URLResponse) async -> URLSession.ResponseDisposition {
        responseKnown(response)
        if let handler = task.handler {
            if case .bytes(let channel) = handler { channel.began(response) }
            return .allow
        }
        guard let dataTask = task as? URLSessionDataTask else { return .allow }
        let session = session
        return await ask((any URLSessionDataDelegate).self) { delegate, answer in
            delegate.urlSession(session, dataTask: dataTask, didReceive: response, completionHandler: answer)
        } ?? .allow
    }

    /// Asks what a cache is to keep of a response; nil if nothing. A task whose handler takes its result keeps what is proposed.
    func willCache(_ proposed: CachedURLResponse) async -> CachedURLResponse? {
        guard task.handler == nil, let dataTask = task as? URLSessionDataTask else { return proposed }
        let session = session
        let answer: CachedURLResponse?? = await ask((any URLSessionDataDelegate).self) { delegate, answer in
            delegate.urlSession(
                session, dataTask: dataTask, willCacheResponse: proposed, completionHandler: answer)
        }
        return answer ?? proposed
    }

    /// Asks about a redirect; nil makes it the result.
    func willRedirect(_ response: HTTPURLResponse, to request: URLRequest) async -> URLRequest? {
        let (session, task) = (session, task)
        let answer: URLRequest?? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: answer)
        }
        return answer ?? request
    }

    /// Asks for an answer to a challenge; one about the connection goes to the session's method first
    /// (docs/behaviour/url-session.md#24).
    func challenge(
        _ challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let (session, task) = (session, task)
        let method = challenge.protectionSpace.authenticationMethod
        let question = UnsafeTransfer(challenge)
        var answer: ChallengeReply?
        if method == NSURLAuthenticationMethodServerTrust || method == NSURLAuthenticationMethodClientCertificate {
            answer = await ask((any URLSessionDelegate).self) { delegate, answer in
                delegate.urlSession(session, didReceive: question.value) { answer(ChallengeReply($0, $1)) }
            }
        }
        if answer == nil {
            answer = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
                delegate.urlSession(session, task: task, didReceive: question.value) { answer(ChallengeReply($0, $1)) }
            }
        }
        return answer.map { ($0.disposition, $0.credential) } ?? (.performDefaultHandling, nil)
    }

    /// Asks for a body's stream.
    func needBodyStream() async -> InputStream? {
        let (session, task) = (session, task)
        let answer: UnsafeTransfer<InputStream?>? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(session, task: task) { answer(UnsafeTransfer($0)) }
        }
        return answer?.value
    }

    /// Asks about a request whose begin date has come.
    func willBegin(_ request: URLRequest) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        let (session, task) = (session, task)
        let answer: BeginReply? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { answer(BeginReply($0, $1)) }
        }
        return answer.map { ($0.disposition, $0.request) } ?? (.continueLoading, nil)
    }

    /// The task is to end before its work is done: it waits for no answer and no reader. Open and later questions
    /// get the usual answer.
    func endsEarly() {
        question.close()
        if case .bytes(let channel) = task.handler { channel.stopWaiting() }
    }

    /// Asks the task's delegate, or the session's if the task's delegate does not implement the method.
    ///
    /// - Returns: nil if no delegate implements the method, or the question was withdrawn.
    private func ask<Kind, Value: Sendable>(
        _ kind: Kind.Type, _ call: @escaping @Sendable (Kind, @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        let (session, task, calls, question) = (session, task, calls, question)
        return await line.perform {
            guard task.toldState != .completed else { return nil }
            for recipient in Recipients(task, session).all where recipient is Kind {
                let probe = ImplementationProbe()
                let value = await calls.ask(question) { (answer: @escaping @Sendable (Value) -> Void) in
                    guard let delegate = recipient as? Kind else { return }
                    DelegateProbe.$current.withValue(probe) { call(delegate, answer) }
                }
                if !probe.isMissing { return value }
            }
            return nil
        }
    }
}

/// The answer to a challenge.
private struct ChallengeReply: @unchecked Sendable {  // SAFETY: Foundation's credential is immutable
    let disposition: URLSession.AuthChallengeDisposition
    let credential: URLCredential?

    init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        self.disposition = disposition
        self.credential = credential
    }
}

/// The answer about a delayed request.
private struct BeginReply: Sendable {
    let disposition: URLSession.DelayedRequestDisposition
    let request: URLRequest?

    init(_ disposition: URLSession.DelayedRequestDisposition, _ request: URLRequest?) {
        self.disposition = disposition
        self.request = request
    }
}

/// Carries a value of Foundation's to one other thread that alone uses it from then on.
struct UnsafeTransfer<Value>: @unchecked Sendable {  // SAFETY: handed over, never shared
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A question to a delegate, settled once its call has returned and an answer is there; only the first answer counts.
final class Question<Value: Sendable>: Sendable {
    private struct State {
        var asker: CheckedContinuation<Value?, Never>?
        var answer: Value?
        var isWithdrawn = false
        var hasReturned = false
    }

    private let state: Mutex<State>

    init(_ asker: CheckedContinuation<Value?, Never>) { state = Mutex(State(asker: asker)) }

    var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }

    func answer(_ value: Value) { settle { if $0.answer == nil { $0.answer = value } } }

    /// Whether the asker goes on.
    var isSettled: Bool { state.withLock { $0.asker == nil } }

    /// The asker no longer needs the answer.
    func withdraw() { settle { $0.isWithdrawn = true } }

    /// The delegate's method has returned; until then no other call of the task is made, also on a concurrent queue.
    func returned() { settle { $0.hasReturned = true } }

    private func settle(_ change: (inout State) -> Void) {
        let settled = state.withLock { state -> (CheckedContinuation<Value?, Never>, Value?)? in
            change(&state)
            guard state.hasReturned, state.answer != nil || state.isWithdrawn, let asker = state.asker else {
                return nil
            }
            state.asker = nil
            return (asker, state.answer)
        }
        if let (asker, answer) = settled { asker.resume(returning: answer) }
    }
}

/// The question that a task's delegate has not answered yet: a task that ends does not wait for it.
final class OpenQuestion: Sendable {
    private struct State {
        var withdraw: (@Sendable () -> Void)?
        var isClosed = false
    }

    private let state = Mutex(State())

    func asked(_ withdraw: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            state.withdraw = withdraw
            return state.isClosed
        }
        if isClosed { withdraw() }
    }

    func answered() { state.withLock { $0.withdraw = nil } }

    /// Withdraws the question, if there is one, and every later one.
    func close() {
        let withdraw = state.withLock { state in
            state.isClosed = true
            return state.withdraw
        }
        withdraw?()
    }
}
