package import FerryCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP or SOCKS 5 proxy on a free port of 127.0.0.1 that records its requests.
package final class ScriptedProxy: Sendable {
    package enum Answer: Sendable {
        /// A tunnel. An HTTP proxy also forwards requests with an absolute URL.
        case tunnel
        /// A tunnel to this port of 127.0.0.1, regardless of the requested target.
        case divert(Int)
        /// A response of this status, or a SOCKS reply with this code, in place of a tunnel.
        case refuse(Int)
        /// No response.
        case silence
        /// The connection closes.
        case close
        /// The connection is reset.
        case reset
        /// These bytes.
        case bytes(String)
    }

    package enum Kind: Sendable { case http, socks }

    /// State shared by all connections.
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
    ///   - credentials: The credentials that the proxy requires.
    ///   - certificates: The certificates for TLS, or `nil` to serve without TLS.
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

    /// The heads of all requests to an HTTP proxy, or the `host:port` of all requests to a SOCKS proxy, in order.
    package var heads: [String] { log.entries.withLock(\.self) }

    package func shutdown() async { try? await channel.close() }
}

extension ScriptedProxy.Script {
    /// Performs an answer that does not depend on the request. Returns false for the other answers.
    func answersAtOnce(_ channel: any Channel) -> Bool {
        switch answer {
        case .silence: return true
        case .close: channel.close(promise: nil)
        case .reset:
            // Closing with a linger time of 0 drops unsent data and sends RST.
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

    /// Connects to the target of a tunnel.
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

/// Forwards the origin's bytes to the client.
private final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let partner: any Channel

    init(partner: any Channel) { self.partner = partner }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { partner.close(promise: nil) }
}
