import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// A relay of TCP connections that delays bytes, in order.
@main
struct FerryRelay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Relay TCP connections of the loopback interface as a longer path would.",
        discussion: """
            Prints its port. For each line of standard input it prints what it has relayed, as JSON, and it ends with its \
            standard input.
            """)

    @Argument(help: "Port of the server, on 127.0.0.1.")
    var server: Int

    @Option(help: ArgumentHelp("Round-trip time, half of it in each direction.", valueName: "milliseconds"))
    var rtt = 0.0

    @Option(help: ArgumentHelp("What each connection brings to its client at most.", valueName: "bytes per second"))
    var cap: Int?

    @Option(help: ArgumentHelp("One in so many connections is slow.", valueName: "number"))
    var slowConnection: Int?

    @Option(help: ArgumentHelp("How much slower than the cap a slow connection is.", valueName: "number"))
    var slowFactor = 10.0

    @Option(help: ArgumentHelp("What may be on its way in one connection and direction.", valueName: "bytes"))
    var window = 4 << 20

    func validate() throws {
        guard (1...65535).contains(server) else { throw ValidationError("The server's port is from 1 to 65535.") }
        guard rtt >= 0, cap ?? 1 > 0, slowConnection ?? 1 > 0, slowFactor >= 1, window >= 65536 else {
            throw ValidationError("Numbers are positive, the window is at least 65536 bytes.")
        }
        guard slowConnection == nil || cap != nil else { throw ValidationError("Slow connections need --cap.") }
    }

    func run() throws {
        let counts = RelayCounts()
        let path = RelayPath(
            server: server, roundTrip: .nanoseconds(Int64(rtt * 1e6)), cap: cap, slowConnection: slowConnection,
            slowFactor: slowFactor, window: window)
        let listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in path.connect(client, counts) }
            .bind(host: "127.0.0.1", port: 0)
            .wait()
        say("\(listener.localAddress?.port ?? 0)")
        while readLine() != nil { say(counts.json) }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
