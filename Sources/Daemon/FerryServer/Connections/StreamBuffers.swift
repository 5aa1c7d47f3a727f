import Foundation
import NIOCore

/// Small send buffers for a connection with an event stream.
///
/// Events are read and encoded for each stream until its buffers are full. With the system's usual buffers of some
/// hundred kibibytes, hundreds of clients that do not read would delay transfers until then.
enum StreamBuffers {
    /// Maximum number of a stream's unsent bytes in the socket. A group of events, or a quarter of that number of bytes,
    /// waits in front of it.
    static let size = 16 << 10

    /// Sets the buffers of a connection.
    ///
    /// - Throws: The error of a closed connection.
    static func set(on channel: any Channel) async throws {
        let marks = ChannelOptions.Types.WriteBufferWaterMark(low: size / 8, high: size / 4)
        try await channel.setOption(.writeBufferWaterMark, value: marks).get()
        switch channel.localAddress {
        case .unixDomainSocket:
            // Linux allows twice the value, to account for its own overhead (socket(7)).
            try await channel.setOption(.socketOption(.so_sndbuf), value: SocketOptionValue(size / 2)).get()
        case .v4, .v6:
            // Limits only the unsent bytes: a fixed send buffer would limit the speed over long distances (tcp(7)).
            try await channel.setOption(.tcpOption(.notSentLowWater), value: SocketOptionValue(size)).get()
        case nil: break
        }
    }
}

extension NIOBSDSocket.Option {
    /// `TCP_NOTSENT_LOWAT`: the connection counts as not writable while more bytes than this are unsent.
    static let notSentLowWater = NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)
}
