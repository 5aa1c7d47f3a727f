import Foundation

/// The delegates of a task: its own, and for calls that this one does not implement the session's
/// (docs/behaviour/url-session.md#42).
struct Recipients {
    /// The first one first.
    let all: [any URLSessionDelegate]

    init(_ task: URLSessionTask?, _ session: URLSession) {
        all = [task?.delegate, session.delegate].compactMap(\.self)
    }

    /// Makes a call on the first delegate that implements it.
    ///
    /// - Returns: whether any does.
    @discardableResult
    func tell<Kind>(_ kind: Kind.Type, _ call: (Kind) -> Void) -> Bool {
        for delegate in all {
            guard let delegate = delegate as? Kind else { continue }
            if DelegateProbe.call({ call(delegate) }) { return true }
        }
        return false
    }
}

/// Runs calls on a session's delegate queue and returns when they have returned.
struct DelegateCalls: Sendable {
    let queue: OperationQueue

    /// Runs some code on the queue.
    @discardableResult
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.addOperation { continuation.resume(returning: body()) }
        }
    }

    /// Asks a question that is answered by a completion handler, the first time that it is called.
    ///
    /// - Parameter ask: makes the call.
    /// - Returns: the answer, once the call has returned too; nil if the question was withdrawn.
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
