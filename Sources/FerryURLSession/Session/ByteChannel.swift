import Foundation
import FoundationNetworking
import Synchronization

/// Hands the parts of a body over one by one: the next is read from the server when the one before has been taken.
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

    // MARK: The task's side

    func began(_ response: URLResponse) {
        let sealed = UnsafeTransfer(response)
        let waiting = state.withLock { state in
            state.response = .success(sealed)
            defer { state.waitsForResponse = nil }
            return state.waitsForResponse
        }
        waiting?.resume(returning: sealed)
    }

    /// Returns once the reader has taken the part. Does not wait if the reader has gone or the task ends early.
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

    /// The task ends early: parts that have arrived can still be read, but the task does not wait for the reader.
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
        // A task may end well without a response only by a defect of a protocol class.
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

    // MARK: The reader's side

    /// Waits for the head.
    func response() async throws -> URLResponse {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state in
                if state.response == nil { state.waitsForResponse = continuation }
                return state.response
            }
            if let known { continuation.resume(with: known) }
        }.value
    }

    /// The next part; nil at the end.
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

    /// The reader has gone: parts that it has not read, and later ones, are dropped.
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
