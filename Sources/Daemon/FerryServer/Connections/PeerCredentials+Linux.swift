// Peer credentials on Linux.

#if os(Linux)
    import Glibc
    import NIOCore

    /// Peer credentials from `SO_PEERCRED`, which the kernel fixes when the peer connects (unix(7)).
    struct SystemPeerCredentials: PeerCredentials {
        /// The kernel's `struct ucred`: process, user and group, 32 bits each.
        private typealias Credentials = (process: UInt32, user: UInt32, group: UInt32)

        func userID(of channel: any Channel) -> EventLoopFuture<UInt32> {
            guard let options = channel as? any SocketOptionProvider else {
                return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
            }
            // SAFETY: the tuple has the size and layout of `struct ucred`, and every bit pattern of it is valid.
            let credentials: EventLoopFuture<Credentials> = options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
            return credentials.map(\.user)
        }
    }
#endif
