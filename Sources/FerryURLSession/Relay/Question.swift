import Synchronization

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

    /// Nobody needs the answer any more.
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
