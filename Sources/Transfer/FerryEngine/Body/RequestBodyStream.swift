import FerryCore
import Foundation
import NIOCore
import Synchronization

/// Sends a body piece by piece, requesting the next piece when the connection has taken the one before.
///
/// Serves one exchange. `end` releases everything, including a source that does not respond.
final class RequestBodyStream: Sendable {
    typealias Source = @Sendable () async throws -> ByteBuffer?

    private struct State {
        var task: Task<Void, Never>?
        var blocked: EventLoopPromise<Void>?
        var isEnded = false
        var isFinished = false
        /// Why not all was sent.
        var failure: (any Error)?
        /// Completed once all was sent, or will not be.
        var waiting: [EventLoopPromise<Void>] = []
    }

    /// Length of the body in bytes, or `nil` if unknown.
    let length: Int64?
    /// Whether the body appends to an upload resource. The server may then keep a part of it, so any sent byte counts
    /// as possibly complete.
    let isPart: Bool
    private let source: Source
    /// Called right before a piece is written to the connection.
    private let willSend: @Sendable (ByteBuffer) async throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - length: Length of the body. `nil` sends it chunked.
    ///   - source: Returns the next piece, or `nil` at the end.
    ///   - willSend: Called right before a piece is written to the connection.
    init(
        length: Int64?, isPart: Bool = false,
        willSend: @escaping @Sendable (ByteBuffer) async throws -> Void = { _ in },
        source: @escaping Source
    ) {
        self.length = length
        self.willSend = willSend
        self.isPart = isPart
        self.source = source
    }

    /// Whether the connection has taken the whole body.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// Completed once the connection has taken the whole body. Fails if it will not.
    func whenSent(on loop: any EventLoop, to url: HTTPURL) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        let end: Result<Void, any Error>? = state.withLock { state in
            // An empty body is not sent.
            if state.isFinished || length == 0 { return .success(()) }
            if let failure = state.failure { return .failure(failure) }
            state.waiting.append(promise)
            return nil
        }
        if let end { promise.completeWith(end) }
        return promise.futureResult.flatMapErrorThrowing { error in
            if error is EnoughReceived { throw error }
            if let error = error as? ServiceError, error != ExchangeEnd.stopped { throw error }
            throw ServiceError(
                .connectionLost,
                "\(url.host) reported success before it had the whole request, and closed the connection.",
                details: ErrorDetails(url: url.redacted))
        }
    }

    /// Begins to send the body.
    ///
    /// - Parameters:
    ///   - write: Writes a piece to the connection, and completes the promise when it has left. Called on the event
    ///     loop, like the others.
    ///   - sent: Called once the connection has taken all pieces.
    ///   - failed: Called if the body cannot be sent.
    func begin(
        on loop: any EventLoop, write: @escaping @Sendable (ByteBuffer, EventLoopPromise<Void>) -> Void,
        sent: @escaping @Sendable () -> Void, failed: @escaping @Sendable (any Error) -> Void
    ) {
        let task = Task(name: "request body") {
            do {
                try await self.send(on: loop, write)
                loop.execute {
                    sent()
                    self.finished()
                }
            } catch {
                self.failed(error)
                loop.execute { failed(error) }
            }
        }
        let isEnded = state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    private func finished() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.succeed() }
    }

    /// Stops sending. Call it when the exchange has finished.
    func end(with error: any Error = ExchangeEnd.stopped) {
        let (task, blocked) = state.withLock { state in
            state.isEnded = true
            return (state.task.take(), state.blocked.take())
        }
        failed(error)
        blocked?.fail(ExchangeEnd.stopped)
        task?.cancel()
    }

    private func failed(_ error: any Error) {
        let waiting = state.withLock { state in
            if !state.isFinished, state.failure == nil { state.failure = error }
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.fail(error) }
    }

    private func send(
        on loop: any EventLoop, _ write: @escaping @Sendable (ByteBuffer, EventLoopPromise<Void>) -> Void
    ) async throws {
        var sent: Int64 = 0
        var next = try await source()
        while let part = next {
            sent += Int64(part.readableBytes)
            if let length, sent > length { throw Self.changed }
            // Read the next piece while this one is being sent.
            async let following = source()
            if part.readableBytes > 0 {
                try await willSend(part)
                // `end` may complete it first.
                let taken = loop.makePromise(of: Void.self)
                let isEnded = state.withLock { state in
                    if !state.isEnded { state.blocked = taken }
                    return state.isEnded
                }
                if isEnded { taken.fail(ExchangeEnd.stopped) } else { loop.execute { write(part, taken) } }
                try await taken.futureResult.get()
            }
            next = nil
            next = try await following
        }
        if let length, sent < length { throw Self.changed }
    }

    /// The source produced more or fewer bytes than announced.
    private static let changed = ServiceError(
        .invalidRequest, "The body of the request does not have its declared length.",
        details: ErrorDetails(urlError: -1021))

    /// Creates a stream of a body in memory.
    convenience init(_ data: Data) {
        let offset = Mutex(0)
        self.init(length: Int64(data.count)) {
            let start = offset.withLock { offset in
                defer { offset += Self.pieceSize }
                return offset
            }
            guard start < data.count else { return nil }
            let from = data.startIndex + start
            return ByteBuffer(bytes: data[from..<min(from + Self.pieceSize, data.endIndex)])
        }
    }

    /// Piece size of a body in memory.
    private static let pieceSize = 64 << 10
}
