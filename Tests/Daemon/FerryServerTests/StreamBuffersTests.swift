import FerryTesting
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `Buffers of event streams` {
    enum Transport: CaseIterable { case unix, tcp }

    @Test(arguments: Transport.allCases)
    func `a client that reads nothing gets no more than the buffers hold`(transport: Transport) async throws {
        try await withFolder { folder in
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            let listener =
                switch transport {
                case .unix: try await bootstrap.bind(unixDomainSocketPath: folder + "/s", childChannelInitializer: own)
                case .tcp: try await bootstrap.bind(host: "127.0.0.1", port: 0, childChannelInitializer: own)
                }
            try await listener.executeThenClose { accepted in
                let client =
                    switch transport {
                    case .unix: try Connection(path: folder + "/s")
                    case .tcp: try Connection(port: try #require(listener.channel.localAddress?.port))
                    }
                defer { client.end() }
                for try await channel in accepted {
                    try await StreamBuffers.set(on: channel)
                    let taken = try await fill(channel)
                    // The receive buffer of TCP belongs to the client.
                    #expect(taken <= (transport == .unix ? 4 : 20) * StreamBuffers.size)
                    try await channel.close()
                    break
                }
            }
        }
    }

    private func own(_ channel: any Channel) -> EventLoopFuture<any Channel> {
        channel.eventLoop.makeSucceededFuture(channel)
    }

    /// Writes until the connection is not writable. Returns the number of bytes written.
    private func fill(_ channel: any Channel) async throws -> Int {
        try await channel.eventLoop.submit {
            var count = 0
            while channel.isWritable {
                channel.writeAndFlush(ByteBuffer(repeating: 0, count: 1024), promise: nil)
                count += 1024
            }
            return count
        }.get()
    }
}
