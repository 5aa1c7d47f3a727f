import Foundation

/// The delegates of a task: the task's own, then the session's for methods that the first does not implement
/// (docs/behaviour/url-session.md#42).
struct Recipients {
    /// In order of precedence.
    let all: [any URLSessionDelegate]

    init(_ task: URLSessionTask?, _ session: URLSession) {
        all = [task?.delegate, session.delegate].compactMap(\.self)
    }

    /// Makes a call on the first delegate that implements it.
    ///
    /// - Returns: Whether one implements it.
    @discardableResult
    func notify<Kind>(_ kind: Kind.Type, _ call: (Kind) -> Void) -> Bool {
        for delegate in all {
            guard let delegate = delegate as? Kind else { continue }
            if DelegateProbe.call({ call(delegate) }) { return true }
        }
        return false
    }
}

/// Runs calls on a session's delegate queue. Returns when they have returned.
struct DelegateCalls: Sendable {
    let queue: OperationQueue

    /// Runs a closure on the queue.
    @discardableResult
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: body()) }
        }
    }

    /// Makes a call that is answered by a completion handler. Only the handler's first call counts.
    ///
    /// - Parameter ask: Makes the call.
    /// - Returns: The answer, after the call has returned too; nil if the question was withdrawn.
    func ask<Value: Sendable>(
        _ open: OpenQuestion, _ ask: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        let value = await withCheckedContinuation { continuation in
            let question = Question<Value>(continuation)
            open.asked { question.withdraw() }
            queue.addOperation {
                if !question.isWithdrawn { ask { question.answer($0) } }
                question.returned()
            }
        }
        open.answered()
        return value
    }
}
