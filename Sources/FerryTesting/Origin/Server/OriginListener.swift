// Ferry: FerryTesting
// The listening socket of an origin.

import NIOCore
import NIOPosix
import NIOSSL

/// Makes the listening socket of an origin and the pipeline of each connection.
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
