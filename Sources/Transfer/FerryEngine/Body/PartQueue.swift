import FerryCore
import NIOCore
import Synchronization

/// Passes the parts of a body from the event loop to one reader, with backpressure on the sender.
///
/// At most one part waits here. Parts from before a failure are still delivered. After `cancel` no part is delivered.
final class PartQueue: Sendable {
    private struct State {
        var part: ByteBuffer?
        /// Completed when the reader takes the waiting part, so that the client continues reading.
        var held: EventLoopPromise<Void>?
        var reader: CheckedContinuation<ByteBuffer?, any Error>?
        var end: Result<Void, ServiceError>?
        var isCanceled = false
    }

    private let state = Mutex(State())

    /// Adds a part. Call it on the event loop. The future completes when the next part is wanted.
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

    /// Returns the next part, or `nil` at the end. Only one reader may wait at a time.
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

    /// Ends the body after the waiting part. Only the first call counts.
    func end(_ error: ServiceError?) {
        let result: Result<Void, ServiceError> = error.map { .failure($0) } ?? .success(())
        let reader = state.withLock { state -> CheckedContinuation<ByteBuffer?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = result
            return state.reader.take()
        }
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
    }

    /// Drops the waiting part and fails the reader.
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

/// Copying small parts out of large buffers.
extension ByteBuffer {
    /// The same bytes, copied to a buffer of their size if they fill only a small part of this one.
    ///
    /// A retained part keeps its whole buffer in memory, and the connection allocates another 256 KiB buffer for its
    /// next read.
    var withoutSlack: ByteBuffer {
        readableBytes * 4 <= storageCapacity ? ByteBuffer(bytes: readableBytesView) : self
    }
}
