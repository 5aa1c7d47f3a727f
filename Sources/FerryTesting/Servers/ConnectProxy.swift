import NIOCore
import NIOPosix
import Synchronization

/// An HTTP proxy on a free port of 127.0.0.1 that tunnels what it is asked by CONNECT, and keeps the heads that it was sent.
package final class ConnectProxy: Sendable {
    package enum Answer: Sendable {
        case tunnel
        /// A tunnel to this port of 127.0.0.1, whatever is asked for.
        case divert(Int)
        /// A response of this status instead of a tunnel.
        case refuse(Int)
    }

    private let channel: any Channel
    private let log: ProxyLog

    private init(channel: any Channel, log: ProxyLog) {
        self.channel = channel
        self.log = log
    }

    package static func start(_ answer: Answer = .tunnel) async throws -> ConnectProxy {
        let log = ProxyLog()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectHandler(answer, log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ConnectProxy(channel: channel, log: log)
    }

    package var port: Int { channel.localAddress?.port ?? 0 }

    /// The heads of all requests to the proxy, in order.
    package var heads: [String] { log.heads.withLock(\.self) }

    package func shutdown() async { try? await channel.close() }
}

/// What the connections of one proxy have in common.
private final class ProxyLog: Sendable {
    let heads = Mutex<[String]>([])
}

/// Reads the head of a CONNECT, then hands all bytes through.
private final class ConnectHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ConnectProxy.Answer
    private let log: ProxyLog
    private var head = ByteBuffer()
    private var partner: (any Channel)?

    init(_ answer: ConnectProxy.Answer, _ log: ProxyLog) {
        self.answer = answer
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if let partner { return partner.writeAndFlush(part, promise: nil) }
        head.writeBuffer(&part)
        let text = String(buffer: head)
        guard text.hasSuffix("\r\n\r\n") else { return }
        log.heads.withLock { $0.append(text) }
        connect(text, context.channel)
    }

    func channelInactive(context: ChannelHandlerContext) { partner?.close(promise: nil) }

    private func connect(_ text: String, _ channel: any Channel) {
        let target = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        guard let (host, port) = destination(target) else {
            var status = 400
            if case .refuse(let given) = answer { status = given }
            let response = ByteBuffer(string: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
            return channel.writeAndFlush(response).whenComplete { _ in channel.close(promise: nil) }
        }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        ClientBootstrap(group: channel.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(TunnelHandler(partner: channel))
                }
            }
            .connect(host: host, port: port)
            .whenComplete { result in
                switch result {
                case .success(let far):
                    bound.value.partner = far
                    channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
                case .failure: channel.close(promise: nil)
                }
            }
    }

    /// Where the tunnel leads; nil if there is none.
    private func destination(_ target: String) -> (host: String, port: Int)? {
        switch answer {
        case .refuse: return nil
        case .divert(let port): return ("127.0.0.1", port)
        case .tunnel:
            guard let colon = target.lastIndex(of: ":"), let port = Int(target[target.index(after: colon)...]) else {
                return nil
            }
            return (String(target[..<colon]), port)
        }
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
