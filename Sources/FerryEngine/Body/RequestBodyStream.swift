import AsyncHTTPClient
import FerryCore
import Foundation
import NIOCore
import Synchronization

/// Sends a body piece by piece: the next piece is asked for when the connection has taken the one before.
///
/// For one exchange. `end` lets go of everything, also of a source that does not answer.
final class RequestBodyStream: Sendable {
    typealias Source = @Sendable () async throws -> ByteBuffer?

    private struct State {
        var task: Task<Void, Never>?
        var blocked: EventLoopPromise<Void>?
        var isEnded = false
        var isFinished = false
    }

    /// Bytes that it brings; nil where that is not known.
    let length: Int64?
    /// Whether it is a part of something whose end the server asks for: then it is not known what came of a beginning.
    let isPart: Bool
    private let source: Source
    /// Called right before a piece goes to the connection.
    private let willSend: @Sendable (ByteBuffer) async throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - length: what the source will bring; nil sends it chunked.
    ///   - source: the next piece; nil at the end.
    ///   - willSend: called right before a piece goes to the connection.
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

    func body(on loop: any EventLoop) -> HTTPClient.Body {
        .stream(contentLength: length) { writer in
            let done = loop.makePromise(of: Void.self)
            let task = Task(name: "request body") {
                do {
                    try await self.send(to: writer, on: loop)
                    done.succeed()
                } catch {
                    done.fail(error)
                }
            }
            let isEnded = self.state.withLock { state in
                state.task = task
                return state.isEnded
            }
            if isEnded { task.cancel() }
            return done.futureResult
        }
    }

    /// Stops sending; call it when the exchange is over.
    func end() {
        let (task, blocked) = state.withLock { state in
            state.isEnded = true
            return (state.task.take(), state.blocked.take())
        }
        blocked?.fail(ExchangeEnd.stopped)
        task?.cancel()
    }

    private func send(to writer: HTTPClient.Body.StreamWriter, on loop: any EventLoop) async throws {
        var sent: Int64 = 0
        var next = try await source()
        while let part = next {
            sent += Int64(part.readableBytes)
            if let length, sent > length { throw Self.changed }
            // The next piece is read while this one is on its way.
            async let following = source()
            if part.readableBytes > 0 {
                try await willSend(part)
                try await write(part, to: writer, on: loop)
            }
            next = nil
            next = try await following
        }
        if let length, sent < length { throw Self.changed }
        state.withLock { $0.isFinished = true }
    }

    private func write(
        _ part: ByteBuffer, to writer: HTTPClient.Body.StreamWriter, on loop: any EventLoop
    ) async throws {
        // The client does not promise to complete its future once it has lost interest.
        let taken = loop.makePromise(of: Void.self)
        let isEnded = state.withLock { state in
            if !state.isEnded { state.blocked = taken }
            return state.isEnded
        }
        if isEnded {
            taken.fail(ExchangeEnd.stopped)
        } else {
            writer.write(.byteBuffer(part)).cascade(to: taken)
        }
        try await taken.futureResult.get()
    }

    /// The source brought more or less than it was to.
    private static let changed = ServiceError(
        .invalidRequest, "The body of the request has not the length that it was given with.",
        details: ErrorDetails(urlError: -1021))

    /// A body in memory.
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

    /// Size of the pieces of a body in memory.
    private static let pieceSize = 64 << 10
}
