import FerryCore
import FerryRules
import NIOCore
import Synchronization

/// A response that fits in memory.
struct ReceivedResponse: Sendable {
    let head: UnambiguousHead
    let body: ByteBuffer
}

/// A request whose response is expected to fit in memory, on a connection of ``ShortConnections``.
///
/// All methods are called on the event loop.
final class ShortRequest: Sendable {
    enum End: Sendable {
        case response(ReceivedResponse)
        /// No response of the expected kind, or no connection. The HTTP client may get another one.
        case unanswered
        case failed(ServiceError)
    }

    private struct State {
        var channel: (any Channel)?
        var continuation: CheckedContinuation<End, Never>?
        var isOver = false
        var hasBegun = false
    }

    let key: ShortConnections.Key
    /// The request in HTTP/1.1 syntax.
    let bytes: ByteBuffer
    private let state = Mutex(State())
    private let lastByte = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    init(_ bytes: ByteBuffer, on key: ShortConnections.Key) { (self.bytes, self.key) = (bytes, key) }

    /// Sends the request, and waits for its end.
    func send(isolation: isolated (any Actor)? = #isolation, on connections: ShortConnections) async -> End {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.continuation = continuation }
                return state.isOver
            }
            guard !isOver else { return continuation.resume(returning: .unanswered) }
            connections.send(self)
        }
    }

    /// Time of the last received byte, or of the beginning.
    var activity: NIODeadline { .uptimeNanoseconds(lastByte.load(ordering: .relaxed)) }

    /// Whether part of the response has been received.
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    // MARK: Events of the connection

    /// Records that a connection takes the request.
    ///
    /// - Returns: False if the request has ended.
    func take(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isOver { state.channel = channel }
            return !state.isOver
        }
    }

    func received() {
        lastByte.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed)
        state.withLock { $0.hasBegun = true }
    }

    func answered(_ response: ReceivedResponse) { finish(.response(response)) }

    func isUnanswered() { finish(.unanswered) }

    /// Ends the request by a decision of the engine, and closes its connection.
    func fail(_ error: ServiceError) { finish(.failed(error))?.close(promise: nil) }

    /// Ends the request, unless it has ended.
    ///
    /// - Returns: The connection that had taken it.
    @discardableResult
    private func finish(_ end: End) -> (any Channel)? {
        let (continuation, channel) = state.withLock { state in
            state.isOver = true
            return (state.continuation.take(), state.channel.take())
        }
        continuation?.resume(returning: end)
        return channel
    }
}
