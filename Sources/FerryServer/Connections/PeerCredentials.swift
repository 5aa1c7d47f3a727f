// Ferry: FerryServer
// Who is at the other end of a connection.

import NIOCore

/// Asks the system who is at the other end of a connection.
protocol PeerCredentials: Sendable {
    /// The user of the process that connected. Called and answered on the channel's event loop.
    func userID(of channel: any Channel) -> EventLoopFuture<UInt32>
}
