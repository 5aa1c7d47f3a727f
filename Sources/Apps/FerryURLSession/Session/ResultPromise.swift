import Foundation
import FoundationNetworking
import Synchronization

/// Turns the single call of a completion handler into a value that is awaited once.
final class ResultPromise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<UnsafeTransfer<(Value, URLResponse)>, any Error>?
        var waiting: CheckedContinuation<UnsafeTransfer<(Value, URLResponse)>, any Error>?
    }

    private let state = Mutex(State())

    func fulfill(_ value: Value?, _ response: URLResponse?, _ error: (any Error)?) {
        let result: Result<UnsafeTransfer<(Value, URLResponse)>, any Error> =
            if let value, let response, error == nil {
                .success(UnsafeTransfer((value, response)))
            } else {
                .failure(error ?? URLError(.unknown))
            }
        let waiting = state.withLock { state in
            if state.waiting == nil { state.result = result }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(with: result)
    }

    func value() async throws -> (Value, URLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }.value
    }
}
