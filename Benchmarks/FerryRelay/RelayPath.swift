import NIOCore
import NIOPosix
import Synchronization

/// The properties of the path; joins each client with the server over two delay lines.
struct RelayPath: Sendable {
    var server: Int
    var roundTrip: TimeAmount
    /// Bytes per second of one connection, to the client.
    var cap: Int?
    var slowConnection: Int?
    var slowFactor: Double
    var window: Int

    /// Connects to the server and has both directions relayed. Called on the event loop of the client's channel.
    func connect(_ client: any Channel, _ counts: RelayCounts) -> EventLoopFuture<Void> {
        let number = counts.connections.add(1, ordering: .relaxed).newValue
        let opened = NIODeadline.now()
        let half = TimeAmount.nanoseconds(roundTrip.nanoseconds / 2)
        let slow = slowConnection.map { number % $0 == 0 } ?? false
        let rate = cap.map { slow ? max(1, Int(Double($0) / slowFactor)) : $0 }
        var bootstrap = ClientBootstrap(group: client.eventLoop)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [window] server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(
                        DelayLine(to: client, delay: half, from: opened, rate: rate, window: window) {
                            counts.toClients.add($0, ordering: .relaxed)
                        })
                }
            }
        // Small, because bytes that the kernel buffers before a cap count as sent by the server.
        if cap != nil { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: 1 << 17) }
        return bootstrap.connect(host: "127.0.0.1", port: server).flatMapThrowing { [window, roundTrip] server in
            // The handshake takes a round trip before the first request is on its way.
            try client.pipeline.syncOperations.addHandler(
                DelayLine(to: server, delay: half, from: opened + roundTrip, rate: nil, window: window) {
                    counts.toServer.add($0, ordering: .relaxed)
                })
        }
    }
}
