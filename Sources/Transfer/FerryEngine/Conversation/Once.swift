import FerryCore
import Synchronization

/// Passes the first settled result to one waiting task.
final class Once<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, ServiceError>?
        var waiting: CheckedContinuation<Result<Value, ServiceError>, Never>?
    }

    private let state = Mutex(State())

    /// Sets the result. Only the first call counts.
    func settle(_ result: Result<Value, ServiceError>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Value, ServiceError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiting.take()
        }
        waiting?.resume(returning: result)
    }

    func result() async -> Result<Value, ServiceError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
