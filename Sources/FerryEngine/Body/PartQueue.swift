import FerryCore
import NIOCore
import Synchronization

/// Hands the parts of a body from the event loop to one reader, and holds the sender back until the reader asks.
///
/// At most one part waits here. What came before a failure is still handed out; after `cancel` nothing is.
final class PartQueue: Sendable {
    private struct State {
        var part: ByteBuffer?
        /// Completed when the waiting part is taken: then the client reads on.
        var held: EventLoopPromise<Void>?
        var reader: CheckedContinuation<ByteBuffer?, any Error>?
        var end: Result<Void, ServiceError>?
        var isCanceled = false
    }

    private let state = Mutex(State())

    /// Takes a part in; the future ends when the next one is wanted. On the event loop.
    func offer(_ part: ByteBuffer, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let held = loop.makePromise(of: Void.self)
        let (reader, isCanceled) = state.withLock { state -> (CheckedContinuation<ByteBuffer?, any Error>?, Bool) in
            if state.isCanceled { return (nil, true) }
            if let reader = state.reader.take() { return (reader, false) }
            state.part = part
            state.held = held
            return (nil, false)
        }
        if isCanceled { held.fail(ExchangeEnd.stopped) }
        if let reader {
            reader.resume(returning: part)
            held.succeed()
        }
        return held.futureResult
    }

    /// The next part; nil at the end. One reader at a time.
    func next() async throws(ServiceError) -> ByteBuffer? {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                let (result, held) = state.withLock {
                    state -> (Result<ByteBuffer?, ServiceError>?, EventLoopPromise<Void>?) in
                    if let part = state.part.take() { return (.success(part), state.held.take()) }
                    switch state.end {
                    case .success: return (.success(nil), nil)
                    case .failure(let error): return (.failure(error), nil)
                    case nil:
                        state.reader = continuation
                        return (nil, nil)
                    }
                }
                held?.succeed()
                if let result { continuation.resume(with: result.mapError { $0 }) }
            }
        } catch let error as ServiceError {
            throw error
        } catch {
            preconditionFailure("a part queue fails with a ServiceError alone")
        }
    }

    /// Ends the body after the part that waits; only the first end counts.
    func end(_ error: ServiceError?) {
        let result: Result<Void, ServiceError> = error.map { .failure($0) } ?? .success(())
        let reader = state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = result
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    /// Drops what waits and fails the reader.
    func cancel() {
        let (reader, held) = state.withLock {
            state -> (CheckedContinuation<ByteBuffer?, any Error>?, EventLoopPromise<Void>?) in
            state.isCanceled = true
            state.part = nil
            state.end = .failure(ExchangeEnd.stopped)
            return (state.reader.take(), state.held.take())
        }
        held?.fail(ExchangeEnd.stopped)
        reader?.resume(throwing: ExchangeEnd.stopped)
    }
}

/// Small parts of large buffers.
extension ByteBuffer {
    /// The same bytes, in a buffer of their size where they are a small part of a large one.
    ///
    /// A part that is kept keeps its whole buffer in memory, and the connection makes another one, of 256 KiB, for its next read.
    var withoutSlack: ByteBuffer {
        readableBytes * 4 <= storageCapacity ? ByteBuffer(bytes: readableBytesView) : self
    }
}
