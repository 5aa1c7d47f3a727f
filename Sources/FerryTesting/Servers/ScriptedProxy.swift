package import FerryCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP or SOCKS 5 proxy on a free port of 127.0.0.1, which keeps what it was asked.
package final class ScriptedProxy: Sendable {
    package enum Answer: Sendable {
        /// A tunnel; an HTTP proxy also sends requests on whose target is a whole URL.
        case tunnel
        /// A tunnel to this port of 127.0.0.1, whatever is asked for.
        case divert(Int)
        /// In place of a tunnel a response of this status, or a SOCKS reply of this code.
        case refuse(Int)
        /// Nothing.
        case silence
        /// The end of the connection.
        case close
        /// The end of the connection by a reset.
        case reset
        /// These bytes.
        case bytes(String)
    }

    package enum Kind: Sendable { case http, socks }

    /// What all connections have in common.
    struct Script: Sendable {
        let answer: Answer
        let credentials: Credentials?
        let log: Log
    }

    final class Log: Sendable {
        let entries = Mutex<[String]>([])
    }

    private let channel: any Channel
    private let log: Log

    private init(channel: any Channel, log: Log) {
        self.channel = channel
        self.log = log
    }

    /// - Parameters:
    ///   - credentials: Those that it wants.
    ///   - certificates: Those that it speaks TLS with; without them it does not.
    package static func start(
        _ answer: Answer = .tunnel, kind: Kind = .http, credentials: Credentials? = nil,
        certificates: TestCertificates? = nil
    ) async throws -> ScriptedProxy {
        let script = Script(answer: answer, credentials: credentials, log: Log())
        let security = try certificates.map { try OriginSecurity(.trusted, $0) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandlers(security?.handlers() ?? [])
                    switch kind {
                    case .http: try pipeline.addHandler(HTTPProxyHandler(script))
                    case .socks: try pipeline.addHandler(SOCKSProxyHandler(script))
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedProxy(channel: channel, log: script.log)
    }

    package var port: Int { channel.localAddress?.port ?? 0 }

    /// The heads of all requests to an HTTP proxy, or the `host:port` of all to a SOCKS proxy, in order.
    package var heads: [String] { log.entries.withLock(\.self) }

    package func shutdown() async { try? await channel.close() }
}

extension ScriptedProxy.Script {
    /// Whether the answer is given without any look at the request.
    func answersAtOnce(_ channel: any Channel) -> Bool {
        switch answer {
        case .silence: return true
        case .close: channel.close(promise: nil)
        case .reset:
            // Closed with unsent data dropped, which is a reset to the peer.
            channel.eventLoop.makeFutureWithTask {
                guard let socket = channel as? any SocketOptionProvider else { return }
                try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            .whenComplete { _ in channel.close(promise: nil) }
        case .bytes(let text): channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
        case .tunnel, .divert, .refuse: return false
        }
        return true
    }

    /// Connects to where a tunnel leads.
    func connect(
        _ host: String, _ port: Int, for channel: any Channel
    ) -> EventLoopFuture<any Channel> {
        var place = (host, port)
        if case .divert(let port) = answer { place = ("127.0.0.1", port) }
        return ClientBootstrap(group: channel.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(TunnelHandler(partner: channel))
                }
            }
            .connect(host: place.0, port: place.1)
    }
}

/// Hands what the origin sends to the client.
private final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let partner: any Channel

    init(partner: any Channel) { self.partner = partner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { partner.close(promise: nil) }
}
