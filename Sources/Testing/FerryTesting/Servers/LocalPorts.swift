import NIOCore
import NIOPosix

/// Free ports of 127.0.0.1, for third-party servers that cannot choose their own.
package enum LocalPorts {
    /// Returns different free ports. Another program may take one before the server does.
    package static func free(_ count: Int) async throws -> [Int] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            channels.append(
                try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = channels.compactMap { $0.localAddress?.port }
        for channel in channels { try await channel.close() }
        return ports
    }

    /// Whether a server accepts connections.
    static func accepts(_ port: Int) async -> Bool {
        let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
        try? await channel?.close()
        return channel != nil
    }
}
