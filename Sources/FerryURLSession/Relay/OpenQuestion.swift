// Ferry: FerryURLSession
// What a task's delegate has not answered yet.

import Synchronization

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
