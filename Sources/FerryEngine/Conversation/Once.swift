import FerryCore
import Synchronization

/// Hands one result, the first that is settled, to one waiting task.
final class Once<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, TransferError>?
        var waiting: CheckedContinuation<Result<Value, TransferError>, Never>?
    }

    private let state = Mutex(State())

    /// Only the first result counts.
    func settle(_ result: Result<Value, TransferError>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<Value, TransferError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            return state.waiting.take()
        }
        waiting?.resume(returning: result)
    }

    func result() async -> Result<Value, TransferError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
