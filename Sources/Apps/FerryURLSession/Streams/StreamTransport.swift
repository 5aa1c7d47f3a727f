import FerryCore
import FerryEngine
import Foundation
import FoundationNetworking
import Synchronization

/// The transport of a stream task: connects once the task is resumed, and performs its reads and its writes in the order
/// of the calls.
///
/// ```
///   reads    ── read ── read ──┐            ┌── read ──
///                              ├── TLS ─────┤             capture, close: after both
///   writes   ── write ─────────┘            └── write ──
/// ```
final class StreamTransport: TaskTransport {
    typealias Waiter = CheckedContinuation<StreamConnection?, Never>

    enum Phase {
        case idle
        case connecting
        case connected(StreamConnection)
        case ended(any Error)
    }

    struct State {
        var phase = Phase.idle
        var waiters: [Waiter] = []
        var isReadClosed = false
        var isWriteClosed = false
        /// Whether a read has returned the peer's last byte.
        var isReadThrough = false
        var hasNotifiedReadEnd = false
        var isSecure = false

        var isOver: Bool { isWriteClosed && (isReadClosed || isReadThrough) }
    }

    private let host: String
    private let port: Int
    let configuration: URLSessionConfiguration
    private let place: LoadPlace
    let relay: TaskRelay
    let reads = CommandQueue()
    let writes = CommandQueue()
    let state = Mutex(State())
    /// Held while a step is added to both queues.
    let steps = Mutex(())

    init(
        _ host: String, port: Int, configuration: URLSessionConfiguration, place: LoadPlace, relay: TaskRelay
    ) {
        self.host = host
        self.port = port
        self.configuration = configuration
        self.place = place
        self.relay = relay
    }

    // MARK: TaskTransport

    func resume() {
        let isFirst = state.withLock { state in
            guard case .idle = state.phase else { return false }
            state.phase = .connecting
            return true
        }
        if isFirst { Task(name: "connection of a stream task") { await connect() } }
    }

    /// A stream has no pace of its own: the app's calls are its pace.
    func suspend() {}

    func cancel() { end(URLError.failing(.cancelled, nil)) }

    func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
        handler(nil)
        cancel()
    }

    func update(_ change: TaskChange) {}

    // MARK: The connection

    private func connect() async {
        var options = StreamOptions()
        options.proxyEnvironment = place.proxies
        options.minimumTLS = TLSMapping.version(configuration.tlsMinimumSupportedProtocolVersion)
        options.maximumTLS = TLSMapping.version(configuration.tlsMaximumSupportedProtocolVersion)
        do {
            let engine = try await place.engine()
            let connection = try await StreamConnection.open(to: host, port: port, options, engine: engine) {
                [weak self] in self?.peerClosed()
            }
            let (waiters, isLate) = state.withLock { state in
                defer { state.waiters = [] }
                guard case .connecting = state.phase else { return (state.waiters, true) }
                state.phase = .connected(connection)
                return (state.waiters, false)
            }
            if isLate { connection.close() }
            for waiter in waiters { waiter.resume(returning: isLate ? nil : connection) }
        } catch {
            end(mapped(error))
        }
    }

    /// Returns the connection once there is one, or nil if the task ends before.
    func connection() async -> StreamConnection? {
        await withCheckedContinuation { continuation in
            let known: StreamConnection?? = state.withLock { state in
                switch state.phase {
                case .connected(let connection): return .some(connection)
                case .ended: return .some(nil)
                case .idle, .connecting:
                    state.waiters.append(continuation)
                    return nil
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    private var failure: any Error {
        state.withLock { if case .ended(let error) = $0.phase { error } else { URLError(.networkConnectionLost) } }
    }

    func mapped(_ error: any Error) -> any Error {
        guard let error = error as? ServiceError else { return error }
        return URLErrorMapping.error(error, url: nil)
    }

    // MARK: Reads and writes

    func read(
        _ minimum: Int, _ maximum: Int, _ timeout: TimeInterval,
        _ handler: @escaping @Sendable (Data?, Bool, (any Error)?) -> Void
    ) {
        let read = StreamRead(minimum: minimum, maximum: maximum)
        reads.add { [self] in
            let result = await perform(timeout, stops: true, unless: { $0.isReadClosed }) { try await $0.read(read) }
            switch result {
            case .success(let part):
                relay.task.storage.withLock { $0.counts.received += Int64(part.data?.count ?? 0) }
                await relay.calls.run { handler(part.data, part.isAtEnd, nil) }
                if part.isAtEnd { await change { $0.isReadThrough = true } }
            case .failure(let error):
                await relay.calls.run { handler(nil, false, error) }
            }
        }
    }

    func write(_ data: Data, _ timeout: TimeInterval, _ handler: @escaping @Sendable ((any Error)?) -> Void) {
        writes.add { [self] in
            switch await perform(timeout, stops: false, unless: { $0.isWriteClosed }, { try await $0.write(data) }) {
            case .success:
                relay.task.storage.withLock { $0.counts.sent += Int64(data.count) }
                await relay.calls.run { handler(nil) }
            case .failure(let error):
                await relay.calls.run { handler(error) }
            }
        }
    }

    /// How an operation may come to its end.
    private enum Outcome<Value: Sendable>: Sendable {
        case ended(Result<Value, any Error>)
        case timedOut
    }

    /// Performs an operation within its time, unless its side is closed. The end of the task ends it.
    ///
    /// - Parameter stops: Whether the operation ends at once when its Swift task is canceled.
    private func perform<Value: Sendable>(
        _ timeout: TimeInterval, stops: Bool, unless isClosed: @Sendable (borrowing State) -> Bool,
        _ operation: @escaping @Sendable (StreamConnection) async throws -> Value
    ) async -> Result<Value, any Error> {
        if state.withLock({ isClosed($0) }) { return .failure(URLError(.networkConnectionLost)) }
        let (outcomes, feed) = AsyncStream.makeStream(of: Outcome<Value>.self)
        let work = Task(name: "operation of a stream") {
            // An operation that has timed out before there is a connection does nothing.
            if let connection = await connection(), !Task.isCancelled {
                do {
                    feed.yield(.ended(.success(try await operation(connection))))
                } catch {
                    feed.yield(.ended(.failure(mapped(error))))
                }
            }
            feed.finish()
        }
        let timer = Task(name: "timeout of a stream") {
            guard timeout > 0, timeout < RequestFieldMapping.longest else { return }
            try? await Task.sleep(for: .seconds(timeout))
            guard !Task.isCancelled else { return }
            work.cancel()
            feed.yield(.timedOut)
        }
        defer { timer.cancel() }
        var result: Result<Value, any Error>?
        for await outcome in outcomes {
            guard case .ended(let end) = outcome else {
                result = .failure(URLError(.timedOut))
                // A read that was stopped too late has bytes, which would be lost.
                if stops, case .connected = state.withLock(\.phase) { continue }
                break
            }
            if case .success = end { result = end }
            // A connection that has failed ends the task. A read that was stopped has not.
            if case .failure(let error) = end, result == nil { self.end(error) }
            result = result ?? end
            break
        }
        if case .ended(let error) = state.withLock(\.phase) { return .failure(error) }
        return result ?? .failure(URLError(.networkConnectionLost))
    }
}
