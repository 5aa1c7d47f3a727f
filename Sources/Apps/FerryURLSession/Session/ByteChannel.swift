import Foundation
import FoundationNetworking
import Synchronization

/// A channel for the parts of a body. The next part is read from the server after the previous one has been taken.
final class ByteChannel: Sendable {
    private struct State {
        var response: Result<UnsafeTransfer<URLResponse>, any Error>?
        var parts: [Data] = []
        var end: Result<Void, any Error>?
        var reader: CheckedContinuation<Data?, any Error>?
        var writer: CheckedContinuation<Void, Never>?
        var waitsForResponse: CheckedContinuation<UnsafeTransfer<URLResponse>, any Error>?
        var isAbandoned = false
        var waitsForReader = true
    }

    private let state = Mutex(State())

    // MARK: Writing

    func began(_ response: URLResponse) {
        let sealed = UnsafeTransfer(response)
        let waiting = state.withLock { state in
            state.response = .success(sealed)
            defer { state.waitsForResponse = nil }
            return state.waitsForResponse
        }
        waiting?.resume(returning: sealed)
    }

    /// Adds a part. Returns once the reader has taken it, or at once if the reader is gone or the task ends early.
    func add(_ data: Data) async {
        await withCheckedContinuation { continuation in
            let (reader, waits) = state.withLock { state -> (CheckedContinuation<Data?, any Error>?, Bool) in
                if state.isAbandoned { return (nil, false) }
                if let reader = state.reader {
                    state.reader = nil
                    return (reader, false)
                }
                state.parts.append(data)
                if state.waitsForReader { state.writer = continuation }
                return (nil, state.waitsForReader)
            }
            reader?.resume(returning: data)
            if !waits { continuation.resume() }
        }
    }

    /// Stops waiting for the reader, since the task ends early. Parts that have arrived can still be read.
    func stopWaiting() {
        let writer = state.withLock { state in
            state.waitsForReader = false
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }

    func ended(_ error: (any Error)?) {
        let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        // Only a defect of a protocol class makes a task succeed without a response.
        let failure = error ?? URLError(.badServerResponse)
        let (reader, waiting) = state.withLock { state in
            state.end = end
            if state.response == nil { state.response = .failure(failure) }
            defer {
                state.reader = nil
                state.waitsForResponse = nil
            }
            return (state.reader, state.waitsForResponse)
        }
        switch end {
        case .success: reader?.resume(returning: nil)
        case .failure(let error): reader?.resume(throwing: error)
        }
        waiting?.resume(throwing: failure)
    }

    // MARK: Reading

    /// Waits for the response's head.
    func response() async throws -> URLResponse {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state in
                if state.response == nil { state.waitsForResponse = continuation }
                return state.response
            }
            if let known { continuation.resume(with: known) }
        }.value
    }

    /// Returns the next part; nil at the end.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            let (result, writer) = state.withLock {
                state -> (Result<Data?, any Error>?, CheckedContinuation<Void, Never>?) in
                if !state.parts.isEmpty {
                    defer { state.writer = nil }
                    return (.success(state.parts.removeFirst()), state.writer)
                }
                if let end = state.end { return (end.map { nil }, nil) }
                state.reader = continuation
                return (nil, nil)
            }
            writer?.resume()
            if let result { continuation.resume(with: result) }
        }
    }

    /// Drops all unread and later parts, since the reader is gone.
    func abandon() {
        let writer = state.withLock { state in
            state.isAbandoned = true
            state.parts = []
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume()
    }
}
