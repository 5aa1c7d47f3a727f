import FerryCore
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL
import NIOWebSocket

/// One connection of the gateway: HTTP/1.1, or a WebSocket for aria2's interface.
struct GatewayChannel: ServerChildChannel, HTTPChannelHandler {
    typealias HTTP = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>
    typealias Socket = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// The protocol of a connection, known once its first request has arrived.
    enum Kind: Sendable {
        case http(HTTP)
        case socket(Socket)
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        fileprivate let kind: EventLoopFuture<Kind>
    }

    let responder: HTTPChannelHandler.Responder
    let limits: GatewayLimits
    let open: OpenChannels
    let tls: NIOSSLContext?
    /// Whether a request for a WebSocket is granted, if a slot is free.
    let mayUpgrade: @Sendable (HTTPRequestHead) -> Bool
    let sockets: RPCSockets
    let logger: Logger

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        open.add(channel)
        return channel.eventLoop.makeCompletedFuture {
            // A client that does not read stops its own calls early, before they cost others time.
            try channel.syncOptions?.setOption(
                .tcpOption(.notSentLowWater), value: SocketOptionValue(limits.unsentBytes))
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(OutboundLimit(limits.outbound, patience: limits.patience))
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
            let encoder = HTTPResponseEncoder()
            let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
            let deadline = RequestDeadline(limits.request, limits.bodies)
            try pipeline.addHandler(encoder)
            try pipeline.addHandler(decoder)
            try pipeline.addHandler(deadline)
            try pipeline.addHandler(ConnectionPlace(limits.connections, closing: limits.waiting))
            let wait = RequestWait(limits.waiting)
            try pipeline.addHandler(wait)
            try pipeline.addHandler(QuiesceDeadline(limit: .seconds(5)))
            let errors = FirstRequestErrors()
            try pipeline.addHandler(errors)
            let gate = UpgradeGate(mayUpgrade, limits.webSockets)
            try pipeline.addHandler(gate)
            let upgrade = NIOTypedHTTPServerUpgradeHandler(
                httpEncoder: encoder, extraHTTPHandlers: [decoder, deadline, wait, errors, gate],
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                    upgraders: [upgrader()],
                    notUpgradingCompletionHandler: { channel in
                        channel.eventLoop.makeCompletedFuture { .http(try Self.http(channel, logger)) }
                    }))
            try pipeline.addHandler(upgrade)
            return Value(channel: channel, kind: upgrade.upgradeResultFuture)
        }
    }

    private func upgrader() -> NIOTypedWebSocketServerUpgrader<Kind> {
        NIOTypedWebSocketServerUpgrader(
            maxFrameSize: GatewayRouter.mostBytes,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    .socket(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
            })
    }

    private static func http(_ channel: any Channel, _ logger: Logger) throws -> HTTP {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.kind.get() {
            case .http(let channel): await handleHTTP(asyncChannel: channel, logger: logger)
            case .socket(let channel): await sockets.serve(channel)
            }
        } catch {
            // The client disconnected before its first request was complete, or sent none.
            value.channel.close(promise: nil)
        }
    }
}

/// Limits over all connections of the gateway.
struct GatewayLimits: Sendable {
    var request = RequestPhase.Limits()
    let bodies: BodyBudget
    let connections: ConnectionLimit
    let waiting = WaitingConnections()
    var webSockets: ConnectionLimit
    let outbound: OutboundBudget
    /// Maximum number of unsent bytes in a connection's socket.
    let unsentBytes = 128 << 10
    /// Time within which a client must read some of the sent bytes.
    var patience = TimeAmount.seconds(30)
    /// Time within which a WebSocket client must present the secret.
    var silence = TimeAmount.seconds(30)

    /// Time within which a client must respond to a close frame.
    var farewell = TimeAmount.seconds(1)

    init() {
        request.head = .seconds(30)
        request.body = .seconds(30)
        request.bodyBytes = GatewayRouter.mostBytes
        request.allBytes = 16 << 20
        bodies = BodyBudget(most: request.allBytes)
        connections = ConnectionLimit(most: 256)
        webSockets = ConnectionLimit(most: 64)
        outbound = OutboundBudget(most: 8 << 20)
    }
}
