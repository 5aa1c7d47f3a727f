import FerryCore
import NIOCore
import Synchronization

/// Closes a connection of HTTP/2 at an error of the whole connection, and leaves it open at an error of one stream.
///
/// NIO resets a stream that fails, and the others go on. At an error of the connection, such as a head beyond the client's limit,
/// it tells the server by GOAWAY (RFC 9113 §5.4.1) and leaves closing to its user; the HTTP client waits for the server to close,
/// so that every stream would wait until its timeout. Whether an error is of one stream or of all cannot be told from the error that
/// NIO reports, but from the frame that it sends. So this handler stands between TLS and NIO's codec, and no error of a stream
/// passes here.
final class HTTP2ErrorCloser: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var frames = SentFrames()
    private var isGoingAway = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if frames.haveGoAway(in: unwrapOutboundIn(data)) { isGoingAway = true }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isGoingAway else { return }
        isGoingAway = false
        let channel = context.channel
        // Not in the middle of the codec's own work.
        context.eventLoop.execute { channel.close(promise: nil) }
    }

    /// An error of TLS or of the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.channel.close(promise: nil)
    }
}

/// Finds frames in the bytes that a connection of HTTP/2 sends (RFC 9113 §4.1).
struct SentFrames {
    private static let goAway: UInt32 = 7
    /// Bytes of the last frame's payload that are to come.
    private var rest = 0

    /// - Parameter part: all of a frame's head, or none of it, as NIO's codec writes.
    mutating func haveGoAway(in part: IOData) -> Bool {
        guard case .byteBuffer(var bytes) = part else {
            rest -= min(rest, part.readableBytes)
            return false
        }
        while bytes.readableBytes > 0 {
            let count = min(rest, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: count)
            rest -= count
            // Length (24 bits), type; then flags and stream.
            guard rest == 0, let head = bytes.readInteger(as: UInt32.self), bytes.readableBytes >= 5 else { break }
            if head & 0xFF == Self.goAway { return true }
            bytes.moveReaderIndex(forwardBy: 5)
            rest = Int(head >> 8)
        }
        return false
    }
}

/// The origins that could not answer over HTTP/2, remembered for some time.
///
/// A server may want HTTP/1.1 for some of its resources (RFC 9113 §7), and the client takes no head that is longer than its limit.
final class HTTP2Refusals: Sendable {
    private static let memory = TimeAmount.minutes(10)
    /// Origins that are remembered at most.
    private static let mostOrigins = 1000

    private let origins = Mutex<[Origin: NIODeadline]>([:])

    func contains(_ origin: Origin) -> Bool { origins.withLock { $0[origin].map { $0 > .now() } ?? false } }

    func note(_ origin: Origin) {
        origins.withLock { origins in
            if origins.count >= Self.mostOrigins { origins.removeAll() }
            origins[origin] = .now() + Self.memory
        }
    }
}
