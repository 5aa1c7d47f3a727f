@testable import FerryServer
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Testing

@Suite struct `Peer check` {
    private struct Peer: PeerCredentials {
        let user: UInt32?

        func userID(of channel: any Channel) -> EventLoopFuture<UInt32> {
            guard let user else { return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported) }
            return channel.eventLoop.makeSucceededFuture(user)
        }
    }

    @Test(arguments: [(7, true), (8, false), (0, false), (nil, false)] as [(UInt32?, Bool)])
    func `a connection stays only if its user is the owner`(user: UInt32?, stays: Bool) throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let channel = EmbeddedChannel(
            handler: PeerCheck(owner: 7, credentials: Peer(user: user), logger: logger))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/peer"), promise: nil)
        channel.embeddedEventLoop.run()
        #expect(channel.isActive == stays)
        _ = try? channel.finish()
    }

    /// Shows that the server performs the check.
    @Test(arguments: [(0, true), (1, false), (nil, false)] as [(UInt32?, Bool)])
    func `the server answers its owner, and closes the connections of another user`(
        difference: UInt32?, answers: Bool
    ) async throws {
        let peer = Peer(user: difference.map { geteuid() + $0 })
        try await withServer(credentials: peer) { client in
            let response = try? await client.send("GET", "/v1/version")
            #expect((response?.status == 200) == answers)
        }
    }
}
