import DequeModule
import Synchronization

/// Limits the number of long lists built at once, in the order of their calls. Each holds many transfers in memory.
/// Short calls are handled between their pages.
final class LongLists: Sendable {
    private struct State {
        var free: Int
        var waiting: Deque<CheckedContinuation<Void, Never>> = []
    }

    /// Lists of more transfers are long: they take more than about half a millisecond.
    static let short = 20

    private let state: Mutex<State>

    /// - Parameter most: Maximum number of lists built at once.
    init(most: Int = 1) { state = Mutex(State(free: most)) }

    /// Runs a closure once a slot is free.
    func whileInTurn<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state in
            guard let next = state.waiting.popFirst() else {
                state.free += 1
                return CheckedContinuation<Void, Never>?.none
            }
            return next
        }
        next?.resume()
    }
}
