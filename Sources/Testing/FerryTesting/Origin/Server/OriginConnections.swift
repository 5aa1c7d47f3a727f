import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The channels of an origin's open connections.
final class OpenConnections: Sendable {
    private struct State: Sendable {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Adds a new connection. Returns false after `closeAll()`: the caller must then close it.
    func add(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.channels[ObjectIdentifier(channel)] = channel }
            return !state.isClosed
        }
    }

    func remove(_ channel: any Channel) {
        state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
    }

    /// Closes the connections without a response in progress.
    func closeIdle() {
        for channel in state.withLock({ Array($0.channels.values) }) {
            channel.eventLoop.execute {
                let pipeline = channel.pipeline.syncOperations
                guard let handler = try? pipeline.handler(type: OriginHandler.self), handler.isIdle else { return }
                channel.close(promise: nil)
            }
        }
    }

    /// Closes all connections and rejects later ones. TLS connections close without `close_notify`.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.eventLoop.execute {
                if let raw = try? channel.pipeline.syncOperations.handler(type: RawConnection.self) {
                    raw.close()
                } else {
                    channel.close(promise: nil)
                }
            }
        }
    }
}

/// Closes a connection below TLS: with FIN and no close_notify, or with RST.
///
/// Must be the handler nearest to the socket, so that its calls pass through no other handler.
final class RawConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func close() {
        context?.close(promise: nil)
    }

    /// Sends RST once the peer's kernel has acknowledged all bytes.
    ///
    /// A reset discards bytes that the sending kernel still holds. Without the wait, the peer would get fewer bytes
    /// than scripted. `attemptsLeft` bounds the wait for a peer that does not read.
    func reset(attemptsLeft: Int = 5000) {
        guard let context, let provider = context.channel as? any SocketOptionProvider else { return }
        let information: EventLoopFuture<TCPInformation> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        information.assumeIsolated().whenComplete { result in
            if attemptsLeft > 0, case .success(let information) = result, !information.isDrained {
                context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1)) {
                    self.reset(attemptsLeft: attemptsLeft - 1)
                }
                return
            }
            // With a linger time of 0, the kernel sends RST instead of FIN.
            provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { _ in self.close() }
        }
    }
}

/// The start of Linux's `struct tcp_info`, up to its count of unsent bytes.
private struct TCPInformation: Sendable {
    /// Eight single bytes, such as state and options.
    private var flags: UInt64 = 0
    /// `tcpi_rto` to `tcpi_notsent_bytes`.
    private var words = InlineArray<35, UInt32>(repeating: 0)

    /// Whether the peer's kernel has received everything: no unacknowledged segment, no unsent byte.
    var isDrained: Bool { words[4] == 0 && words[34] == 0 }
}

/// Creates an origin's listening socket and the pipeline of each connection.
enum OriginListener {
    static func bind(port: Int, state: OriginState, security: OriginSecurity?) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let raw = RawConnection()
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(raw)
                    if let security { try pipeline.addHandlers(security.handlers()) }
                    try pipeline.addHandler(OriginHandler(state: state, raw: raw))
                }
            }
            .bind(host: "127.0.0.1", port: port)
            .get()
    }
}
