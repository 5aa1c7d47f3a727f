import NIOCore
import NIOHTTP1

/// Passes permitted WebSocket handshakes. Removes the `Upgrade` field of all other requests, which are then handled as
/// HTTP requests.
final class UpgradeGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// The field that tells the route that responds instead of the WebSocket which version was requested.
    static let version = "Sec-WebSocket-Version"

    private let mayUpgrade: @Sendable (HTTPRequestHead) -> Bool
    private let places: ConnectionLimit

    init(_ mayUpgrade: @escaping @Sendable (HTTPRequestHead) -> Bool, _ places: ConnectionLimit) {
        self.mayUpgrade = mayUpgrade
        self.places = places
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "Upgrade") else {
            return context.fireChannelRead(data)
        }
        if mayUpgrade(head), places.enter() {
            let places = places
            context.channel.closeFuture.whenComplete { _ in places.leave() }
            return context.fireChannelRead(data)
        }
        let protocols = head.headers[canonicalForm: "Upgrade"].map { $0.lowercased() }
        head.headers.remove(name: "Upgrade")
        if protocols.contains("websocket") {
            if !head.headers.contains(name: Self.version) { head.headers.add(name: Self.version, value: "0") }
        } else {
            head.headers.remove(name: Self.version)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
