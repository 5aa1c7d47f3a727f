import FerryAPI
import FerryCore
import NIOCore
import NIOHTTP1
import Synchronization

/// Limits the number of open connections. A connection beyond the limit gets an error response.
final class ConnectionLimit: Sendable {
    let most: Int
    private let open = Mutex(0)

    /// - Parameter most: Maximum number of open connections.
    init(most: Int) { self.most = most }

    /// Returns a limit that leaves most of the process's open files to transfers.
    static func most(openFiles: Int) -> Int { max(16, min(1024, openFiles / 4)) }

    /// Takes a slot. Returns false if none is free.
    func enter() -> Bool {
        open.withLock { open in
            guard open < most else { return false }
            open += 1
            return true
        }
    }

    /// Takes a slot that another connection is about to leave.
    func replace() { open.withLock { $0 += 1 } }

    func leave() { open.withLock { $0 -= 1 } }
}

/// Holds a slot while its connection is open, or refuses the connection.
final class ConnectionPlace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    private let limit: ConnectionLimit
    private let waiting: WaitingConnections?
    private var hasPlace = false
    private var isRefused = false

    /// - Parameter waiting: The connections to close when all slots are taken.
    init(_ limit: ConnectionLimit, closing waiting: WaitingConnections? = nil) {
        self.limit = limit
        self.waiting = waiting
    }

    func channelActive(context: ChannelHandlerContext) {
        hasPlace = limit.enter()
        if !hasPlace, waiting?.closeOldest() == true {
            limit.replace()
            hasPlace = true
        }
        guard !hasPlace else { return context.fireChannelActive() }
        isRefused = true
        refuse(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if hasPlace { limit.leave() }
        hasPlace = false
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isRefused { context.fireChannelRead(data) }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let error = ServiceError(
            .daemonUnreachable,
            "The daemon has \(limit.most) connections, which is the maximum; try again later.")
        // A response of this size fits into a new connection's socket buffer.
        EarlyRefusal.write(error, status: .serviceUnavailable, to: context)
        context.close(promise: nil)
    }
}

/// Limits the bytes of requests that the daemon holds at once, over all connections.
final class BodyBudget: Sendable {
    private let left: Mutex<Int>

    /// - Parameter most: Maximum number of bytes of all unanswered requests.
    init(most: Int) { left = Mutex(most) }

    /// Reserves bytes. Returns false if too few are left.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
    }

    func giveBack(_ count: Int) { left.withLock { $0 += count } }
}
