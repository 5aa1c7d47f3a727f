import FerryCore
import NIOCore
import Synchronization

/// Closes an HTTP/2 connection after a connection error, and keeps it open after a stream error.
///
/// NIO resets a failed stream, and the other streams continue. After a connection error, such as a head beyond the
/// client's limit, NIO sends GOAWAY (RFC 9113 §5.4.1) and leaves closing to its user. Without that, every stream would
/// wait until its timeout. The error that NIO reports does not distinguish the two cases, but the frame it sends does. So this handler sits between TLS and NIO's codec, where no stream errors
/// pass.
final class HTTP2ErrorCloser: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var frames = SentFrames(preface: SentFrames.prefaceSize)
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
        // Not during the codec's own work.
        context.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Handles an error of TLS or of the socket.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.channel.close(promise: nil)
    }
}

/// Finds frames in the bytes sent on an HTTP/2 connection (RFC 9113 §4.1).
struct SentFrames {
    private static let goAway: UInt32 = 7
    /// Size of the client's connection preface (RFC 9113 §3.4).
    static let prefaceSize = 24
    /// Remaining payload bytes of the last frame.
    private var rest: Int

    /// - Parameter preface: Bytes that precede the first frame.
    init(preface: Int = 0) { rest = preface }

    /// - Parameter part: Contains a frame's head completely or not at all, as NIO's codec writes.
    mutating func haveGoAway(in part: IOData) -> Bool {
        guard case .byteBuffer(var bytes) = part else {
            rest -= min(rest, part.readableBytes)
            return false
        }
        while bytes.readableBytes > 0 {
            let count = min(rest, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: count)
            rest -= count
            // Length (24 bits) and type, then flags and stream.
            guard rest == 0, let head = bytes.readInteger(as: UInt32.self), bytes.readableBytes >= 5 else { break }
            if head & 0xFF == Self.goAway { return true }
            bytes.moveReaderIndex(forwardBy: 5)
            rest = Int(head >> 8)
        }
        return false
    }
}

/// Origins that failed to respond over HTTP/2, remembered for some time.
///
/// A server may require HTTP/1.1 for some resources (RFC 9113 §7), and the client rejects a head longer than its limit.
final class HTTP2Refusals: Sendable {
    private static let memory = TimeAmount.minutes(10)
    /// Maximum number of remembered origins.
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
