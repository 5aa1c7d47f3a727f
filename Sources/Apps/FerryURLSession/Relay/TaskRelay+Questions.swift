import Foundation
import FoundationNetworking
import Synchronization

/// Questions to a task's delegate.
extension TaskRelay {
    /// Passes the response to the delegate and returns its disposition. No data is delivered before that.
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

    /// Asks for the response to store in the cache; nil to store none. For a task with a completion handler, returns
    /// the proposed one.
    func willCache(_ proposed: CachedURLResponse) async -> CachedURLResponse? {
        guard task.handler == nil, let dataTask = task as? URLSessionDataTask else { return proposed }
        let session = session
        let answer: CachedURLResponse?? = await ask((any URLSessionDataDelegate).self) { delegate, answer in
            delegate.urlSession(
                session, dataTask: dataTask, willCacheResponse: proposed, completionHandler: answer)
        }
        return answer ?? proposed
    }

    /// Asks about a redirect; nil makes the redirect response the result.
    func willRedirect(_ response: HTTPURLResponse, to request: URLRequest) async -> URLRequest? {
        let (session, task) = (session, task)
        let answer: URLRequest?? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: answer)
        }
        return answer ?? request
    }

    /// Asks for the answer to a challenge. A challenge about the connection is passed to the session's method first
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

    /// Asks for a body stream.
    func needBodyStream() async -> InputStream? {
        let (session, task) = (session, task)
        let answer: UnsafeTransfer<InputStream?>? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(session, task: task) { answer(UnsafeTransfer($0)) }
        }
        return answer?.value
    }

    /// Asks about a delayed request whose begin date has been reached.
    func willBegin(_ request: URLRequest) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
        let (session, task) = (session, task)
        let answer: BeginReply? = await ask((any URLSessionTaskDelegate).self) { delegate, answer in
            delegate.urlSession(session, task: task, willBeginDelayedRequest: request) { answer(BeginReply($0, $1)) }
        }
        return answer.map { ($0.disposition, $0.request) } ?? (.continueLoading, nil)
    }

    /// Notes that the task ends early: it waits for no answer and no reader. Open and later questions get the default
    /// answer.
    func endsEarly() {
        question.close()
        if case .bytes(let channel) = task.handler { channel.stopWaiting() }
    }

    /// Asks the task's delegate, or the session's if the task's delegate does not implement the method.
    ///
    /// - Returns: Nil if no delegate implements the method, or the question was withdrawn.
    private func ask<Kind, Value: Sendable>(
        _ kind: Kind.Type, _ call: @escaping @Sendable (Kind, @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        let (session, task, calls, question) = (session, task, calls, question)
        return await line.perform {
            guard task.reportedState != .completed else { return nil }
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

/// Transfers a Foundation value to another thread that has sole access to it from then on.
struct UnsafeTransfer<Value>: @unchecked Sendable {  // SAFETY: handed over, never shared
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// A question to a delegate. Settled once the delegate's method has returned and an answer was given. Only the first
/// answer counts.
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

    /// Whether the asker has been resumed.
    var isSettled: Bool { state.withLock { $0.asker == nil } }

    /// Withdraws the question: the asker does not need the answer.
    func withdraw() { settle { $0.isWithdrawn = true } }

    /// Records that the delegate's method has returned. Until then no other call of the task is made, even on a
    /// concurrent queue.
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

/// A task's unanswered question. A task that ends early does not wait for it.
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

    /// Withdraws the open question, if any, and all later ones.
    func close() {
        let withdraw = state.withLock { state in
            state.isClosed = true
            return state.withdraw
        }
        withdraw?()
    }
}
