import FerryCore
import Foundation

/// Signals that another process holds a session, then opens the session and reads its signals.
actor HeldReader {
    private let lastTask: Int
    private let open: @Sendable () async throws -> AsyncThrowingStream<SessionSignal, any Error>
    private var isTold = false
    private var signals: AsyncThrowingStream<SessionSignal, any Error>.Iterator?

    init(lastTask: Int, open: @escaping @Sendable () async throws -> AsyncThrowingStream<SessionSignal, any Error>) {
        self.lastTask = lastTask
        self.open = open
    }

    func next() async throws -> SessionSignal? {
        guard isTold else {
            isTold = true
            return .held(lastTask: lastTask)
        }
        if signals == nil { signals = try await open().makeAsyncIterator() }
        // A copy, because an actor's property cannot be passed inout across a suspension. It shares the one stream.
        var copy = signals
        return try await copy?.next(isolation: self)
    }
}

/// Reads a session's signals: the first one, then its events.
actor SignalReader {
    private var first: SessionSignal?
    private var events: AsyncThrowingStream<SessionSignal, any Error>.Iterator

    init(_ first: SessionSignal, _ events: AsyncThrowingStream<SessionSignal, any Error>) {
        self.first = first
        self.events = events.makeAsyncIterator()
    }

    func next() async throws -> SessionSignal? {
        if let first {
            self.first = nil
            return first
        }
        // A copy, because an actor's property cannot be passed inout across a suspension. It shares the one stream.
        var events = events
        return try await events.next(isolation: self)
    }
}
