import NIOCore
import Synchronization

/// A response of the daemon: its head, and a body that is read on demand.
///
/// Only one task may read at a time. Releasing a response before its end closes its connection.
final class DaemonResponse: Sendable {
    let head: ResponseFraming.Head
    private let socket: DaemonSocket
    private let framing: Mutex<ResponseFraming>
    private let whenOver: @Sendable (_ isReusable: Bool) -> Void

    /// - Parameter whenOver: Called once, when nothing more is read from the response. The argument is true if the
    ///   connection can be reused.
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

    /// Returns the next part of the body, or `nil` at its end.
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

    /// Returns the whole body.
    func collect(upTo limit: Int) async throws(ConnectionFailure) -> ByteBuffer {
        var result = ByteBuffer()
        while var part = try await next() {
            guard result.readableBytes + part.readableBytes <= limit else {
                throw .lost("the reply is larger than \(limit) bytes")
            }
            if result.readableBytes == 0 { result = part } else { result.writeBuffer(&part) }
        }
        return result
    }
}
