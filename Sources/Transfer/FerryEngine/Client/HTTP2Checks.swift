import FerryCore
import FerryRules
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Checks the response heads of one HTTP/2 stream before NIO's codec and the HTTP client see them.
///
/// Both trap on invalid status codes (``StatusCode``).
final class HTTP2HeadCheck: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload

    private enum State {
        case expectingHead
        /// The final head was received. Later header blocks are trailers.
        case passing
        case failed
    }

    private var state = State.expectingHead
    private var informational = InformationalLimit()
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

    /// Flushes the request's head in an event loop tick of its own. If the write fails, NIO continues reading in
    /// the middle of it, and the client traps if the complete response arrives before it knows that its head was sent.
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
        try informational.take(head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
        return false
    }
}

/// Closes an HTTP/2 connection if the server pushes.
///
/// Ferry's settings disable push, but a server may push until it has acknowledged them. The HTTP client takes the end
/// of a pushed stream for the end of a request, and traps when more requests have ended than begun.
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
        // Not during the codec's own work.
        context.eventLoop.execute { channel.close(promise: nil) }
    }
}

extension HTTP2StreamID {
    /// Whether the server opened the stream: its streams have even numbers (RFC 9113 §5.1.1). 0 is the connection.
    fileprivate var isServerInitiated: Bool { self != .rootStream && Int32(self) & 1 == 0 }
}

/// The HTTP version of all connections of one client.
///
/// A client whose server alternates between versions keeps closed connections, and traps on shutdown. So a connection
/// with another version than the first is not used, and its requests move to a client for HTTP/1.1 only.
final class NegotiatedVersion: Sendable {
    enum Version: Sendable { case http1, http2 }

    struct Changed: Error {}

    private let version = Mutex<Version?>(nil)

    /// Checks the version of a new connection. Call it on the connection's event loop.
    ///
    /// - Throws: ``Changed`` if the version differs from the first connection's. The connection is then closed.
    func check(_ found: Version, of connection: any Channel) throws(Changed) {
        do throws(Changed) {
            try check(found)
        } catch {
            // After the client has noticed that it has no connection. It does not close this one.
            connection.eventLoop.scheduleTask(in: .zero) { connection.close(promise: nil) }
            throw error
        }
    }

    /// - Throws: ``Changed`` if the version differs from the first connection's.
    func check(_ found: Version) throws(Changed) {
        let first = version.withLock { version in
            version = version ?? found
            return version
        }
        guard first == found else { throw Changed() }
    }
}
