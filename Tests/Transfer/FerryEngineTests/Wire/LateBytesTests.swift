import FerryCore
import FerryRules
import FerryTesting
import NIOCore
import NIOPosix
import Testing

@testable import FerryEngine

/// Bytes that arrive on a connection without a request.
@Suite(.timeLimit(.minutes(1))) struct `Late bytes` {
    private static let body = SeededBody(seed: 611, size: 9001)

    /// A regression: connections for short responses were kept by address alone. A response that one host sent unasked
    /// became the file of another host at the same address.
    @Test func `of one host are no response of another at the same address`() async throws {
        let names = ScriptedNames(["a.test": .success(["127.0.0.1"]), "b.test": .success(["127.0.0.1"])])
        let script = OriginScript(Self.body)
        try await withClient(script, configured: { $0.lookup = names.lookup }) { harness, origin in
            for number in 0..<12 {
                for host in ["a.test", "b.test"] {
                    let request = harness.request(origin.url("/file.bin", host: host)) {
                        $0.file.name = "\(host)-\(number)"
                    }
                    let history = await harness.transfer(request, adjust: EngineHarness.expectShort)
                    #expect(history.success?.size == Self.body.size, "\(history.errors)")
                }
            }
            var hosts: [Int: Set<String>] = [:]
            for request in origin.requests {
                hosts[request.connection, default: []].insert(request.value("Host") ?? "")
            }
            #expect(hosts.values.allSatisfy { $0.count == 1 }, "\(hosts)")
        }
    }

    @Test(arguments: [false, true])
    func `close their connection, and are no response to the next request`(isShort: Bool) async throws {
        let script = OriginScript(Self.body, .on(.turn(0, of: 2), .unasked))
        try await withEngine(script) { harness, origin in
            for name in (0..<12).map({ "\($0)" }) {
                let history = await harness.transfer(harness.request(origin.url()) { $0.file.name = name }) {
                    if isShort { EngineHarness.expectShort(&$0) }
                }
                #expect(history.success != nil, "\(history.errors)")
                let digest = try sha256(harness.path(name))
                #expect(digest == Self.body.sha256Hex)
            }
        }
    }

    @Test func `are seen before the connection is used again`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let accepted = loop.makePromise(of: (any Channel).self)
        let server = try await ServerBootstrap(group: loop)
            .childChannelInitializer { channel in
                accepted.succeed(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let channel = try await ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
            .connect(to: address).get()
        let peer = try await accepted.futureResult.get()
        func isUnread() async throws -> Bool { try await loop.submit { channel.hasUnreadInput }.get() }
        #expect(try await isUnread() == false)
        try await peer.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        try await eventually("the bytes have arrived") { try await isUnread() }
        try await channel.close()
        let other = try await ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
            .connect(to: address).get()
        #expect(try await loop.submit { other.hasUnreadInput }.get() == false)
        try await server.close()
    }
}
