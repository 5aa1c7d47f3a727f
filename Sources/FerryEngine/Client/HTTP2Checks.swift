import FerryCore
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Checks the heads of a response on one stream of HTTP/2 before NIO's codec and the HTTP client see them.
///
/// Both trap on status codes that are none (``StatusCode``).
final class HTTP2HeadCheck: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload

    private enum State {
        case expectingHead
        /// The final head has come. Headers that follow are trailers.
        case passing
        case failed
    }

    private var state = State.expectingHead

    private var isSent = false

    static func add(to stream: any Channel) { stream.addFirst(HTTP2HeadCheck()) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .failed = state { return }
        if case .expectingHead = state, case .headers(let head) = unwrapInboundIn(data) {
            do throws(HeadFault) {
                if try isFinal(head) { state = .passing }
            } catch {
                state = .failed
                context.fireErrorCaught(error)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    /// Sends the request's head in a turn of its own: where the write fails, NIO reads on in the middle of it, and the client traps
    /// if the response comes whole before it knows that its head was sent.
    func flush(context: ChannelHandlerContext) {
        guard !isSent else { return context.flush() }
        isSent = true
        context.eventLoop.assumeIsolated().execute { context.flush() }
    }

    private func isFinal(_ head: HTTP2Frame.FramePayload.Headers) throws(HeadFault) -> Bool {
        let status = try StatusCode(head.headers.first(name: ":status") ?? "")
        guard status.isInformational else { return true }
        // RFC 9113 §8.1.
        guard !head.endStream else { throw HeadFault(text: "an informational status and no other") }
        return false
    }
}

/// Closes a connection of HTTP/2 whose server pushes.
///
/// Ferry's settings allow no push, but a server may ignore them until it has acknowledged them. The HTTP client takes the end of
/// a pushed stream for that of a request, and traps when more requests have ended than began.
final class HTTP2PushRefuser: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        let frame = unwrapInboundIn(data)
        if case .pushPromise = frame.payload { return refuse(context) }
        if frame.streamID.isServerInitiated { return refuse(context) }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let stream = (event as? StreamClosedEvent)?.streamID ?? (event as? NIOHTTP2StreamCreatedEvent)?.streamID
        if stream?.isServerInitiated == true { return refuse(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard !hasRefused else { return }
        hasRefused = true
        let channel = context.channel
        // Not in the middle of the codec's own work.
        context.eventLoop.execute { channel.close(promise: nil) }
    }
}

extension HTTP2StreamID {
    /// Streams of servers have even numbers (RFC 9113 §5.1.1). 0 is the connection.
    fileprivate var isServerInitiated: Bool { self != .rootStream && Int32(self) & 1 == 0 }
}

/// The version of HTTP that the connections of one client speak.
///
/// A client whose server chooses one version and then the other keeps connections that are closed, and traps when it is shut down.
/// So a connection of another version than the first is not used; its requests go to a client of HTTP/1.1 alone.
final class NegotiatedVersion: Sendable {
    enum Version: Sendable { case http1, http2 }

    struct Changed: Error {}

    private let version = Mutex<Version?>(nil)

    /// On the connection's event loop, where the client makes it ready.
    ///
    /// - Throws: ``Changed`` for another version than that of the first connection, which is closed then.
    func check(_ found: Version, of connection: any Channel) throws(Changed) {
        do throws(Changed) {
            try check(found)
        } catch {
            // Once the client has taken in that it has no connection; it leaves closing to us.
            connection.eventLoop.scheduleTask(in: .zero) { connection.close(promise: nil) }
            throw error
        }
    }

    /// - Throws: ``Changed`` for another version than that of the first connection.
    func check(_ found: Version) throws(Changed) {
        let first = version.withLock { version in
            version = version ?? found
            return version
        }
        guard first == found else { throw Changed() }
    }
}
