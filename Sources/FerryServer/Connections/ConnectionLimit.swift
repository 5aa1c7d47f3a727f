import FerryAPI
import FerryCore
import NIOCore
import NIOHTTP1
import Synchronization

/// Bounds how many connections are open at once. A connection beyond that gets an answer that says so.
final class ConnectionLimit: Sendable {
    let most: Int
    private let open = Mutex(0)

    /// - Parameter most: Connections that may be open.
    init(most: Int) { self.most = most }

    /// A limit that leaves most of a process's open files to transfers.
    static func most(openFiles: Int) -> Int { max(16, min(1024, openFiles / 4)) }

    /// Takes a place; false if there is none.
    func enter() -> Bool {
        open.withLock { open in
            guard open < most else { return false }
            open += 1
            return true
        }
    }

    func leave() { open.withLock { $0 -= 1 } }
}

/// Takes a place for its connection while that is open, or refuses it.
final class ConnectionPlace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let limit: ConnectionLimit
    private var hasPlace = false
    private var isRefused = false

    init(_ limit: ConnectionLimit) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
        hasPlace = limit.enter()
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
            "The daemon has \(limit.most) connections, which is all that it takes; try again later.")
        let body = (try? APIJSON.bytes(ErrorBody(error))) ?? []
        var fields = HTTPHeaders([("Content-Type", MediaType.json), ("Connection", "close")])
        fields.add(name: "Content-Length", value: "\(body.count)")
        let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        // An answer of this size fits into the socket of a new connection.
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }
}

/// Bounds how many bytes of requests the daemon holds at once, however many connections they come over.
final class BodyBudget: Sendable {
    private let left: Mutex<Int>

    /// - Parameter most: Bytes of all requests that are not answered.
    init(most: Int) { left = Mutex(most) }

    /// Takes room; false if there is not enough.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
    }

    func giveBack(_ count: Int) { left.withLock { $0 += count } }
}
