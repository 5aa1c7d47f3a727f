import NIOCore
import Synchronization

/// An answer of the daemon: its head, and a body that is read as fast as its reader asks.
///
/// One task reads at a time. An answer that is let go before its end ends its connection.
final class DaemonResponse: Sendable {
    let head: ResponseFraming.Head
    private let socket: DaemonSocket
    private let framing: Mutex<ResponseFraming>
    private let whenOver: @Sendable (_ isReusable: Bool) -> Void

    /// - Parameter whenOver: Told once when nothing more is read of it, and whether the connection serves for another call.
    init(
        _ head: ResponseFraming.Head, _ framing: consuming ResponseFraming, on socket: DaemonSocket,
        whenOver: @escaping @Sendable (_ isReusable: Bool) -> Void
    ) {
        self.head = head
        self.socket = socket
        self.framing = Mutex(framing)
        self.whenOver = whenOver
    }

    deinit { whenOver(head.keepsConnection && framing.withLock { $0.isAtEnd }) }

    /// The next part of the body; nil at its end.
    func next() async throws(ConnectionFailure) -> ByteBuffer? {
        while true {
            let (part, hasEnded) = try framing.withLock { framing throws(ConnectionFailure) in
                (try framing.part(), framing.hasEnded)
            }
            if let part { return part }
            if hasEnded { return nil }
            let more = try await socket.read()
            try framing.withLock { framing throws(ConnectionFailure) in
                if let more { framing.append(more) } else { try framing.close() }
            }
        }
    }

    /// The whole body.
    func collect(upTo limit: Int) async throws(ConnectionFailure) -> ByteBuffer {
        var result = ByteBuffer()
        while var part = try await next() {
            guard result.readableBytes + part.readableBytes <= limit else {
                throw .lost("the answer is larger than \(limit) bytes")
            }
            if result.readableBytes == 0 { result = part } else { result.writeBuffer(&part) }
        }
        return result
    }
}
