import Logging
import NIOCore

/// Closes a connection from another user before any byte of it is read.
final class PeerCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let owner: UInt32
    private let credentials: any PeerCredentials
    private let logger: Logger

    init(owner: UInt32, credentials: any PeerCredentials, logger: Logger) {
        self.owner = owner
        self.credentials = credentials
        self.logger = logger
    }

    func channelActive(context: ChannelHandlerContext) {
        let owner = owner
        let logger = logger
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        credentials.userID(of: context.channel).assumeIsolated().whenComplete { result in
            let context = bound.value
            switch result {
            case .success(owner):
                context.fireChannelActive()
            case .success(let user):
                logger.warning("Closed a connection of another user", metadata: ["uid": "\(user)"])
                context.close(promise: nil)
            case .failure(let error):
                logger.warning("Closed a connection whose user is not known", metadata: ["error": "\(error)"])
                context.close(promise: nil)
            }
        }
    }
}

/// Determines the user at the other end of a connection.
protocol PeerCredentials: Sendable {
    /// Returns the user of the connected process. Called and completed on the channel's event loop.
    func userID(of channel: any Channel) -> EventLoopFuture<UInt32>
}
