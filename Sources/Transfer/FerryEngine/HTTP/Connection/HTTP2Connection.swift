import FerryCore
import NIOCore
import NIOHTTP2

/// A connection that speaks HTTP/2: as many requests at a time as the server allows, each on a stream of its own.
final class HTTP2Connection: ChannelInboundHandler, HTTPConnection {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let version = ConnectionPool.Version.http2
    let facts: ConnectionFacts
    private let id: ConnectionPool.ConnectionID
    private let owner: any HTTPConnectionOwner
    private let channel: any Channel
    private let codec: NIOHTTP2Handler
    private var streams: [ConnectionPool.RequestID: HTTP2Stream] = [:]
    /// Whether the server has answered a request on this connection.
    private var hasAnswered = false
    private var requests = 0
    /// How many requests the server takes at a time.
    private(set) var places = ConnectionPool.placesBeforeSettings
    /// Whether the server takes no more requests, or the connection is being closed.
    private var isDraining = false

    /// Bytes that a server may send before they are taken: on one stream, and on all.
    ///
    /// One that is not taken must not hold up the others.
    private static let (streamWindow, connectionWindow) = (8 << 20, 32 << 20)
    /// The window of a connection before any update (RFC 9113 §6.9.2).
    private static let initialWindow = 65_535

    init(
        _ id: ConnectionPool.ConnectionID, _ facts: ConnectionFacts, owner: any HTTPConnectionOwner,
        on channel: any Channel
    ) {
        self.id = id
        self.facts = facts
        self.owner = owner
        self.channel = channel
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings =
            nioDefaultSettings + [
                HTTP2Setting(parameter: .enablePush, value: 0),
                HTTP2Setting(parameter: .initialWindowSize, value: Self.streamWindow),
            ]
        connection.targetWindowSize = Self.connectionWindow
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Self.streamWindow
        codec = NIOHTTP2Handler(
            mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: stream
        ) { pushed in
            // Ferry's settings disable push, but a server may push until it has acknowledged them.
            pushed.parent?.close(promise: nil)
            return pushed.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
    }

    /// The handlers of the connection, above TLS.
    var handlers: [any ChannelHandler] { [HTTP2ErrorCloser(), codec, self] }

    // MARK: Requests

    func send(_ request: PooledRequest) -> Bool {
        guard channel.isActive, !isDraining else { return false }
        let stream = HTTP2Stream(request, self)
        streams[request.id] = stream
        request.prepare(on: facts, channel.eventLoop) { [self] result in
            guard streams[request.id] === stream else { return }
            do {
                stream.head = try result.get()
                let bound = NIOLoopBound(stream, eventLoop: channel.eventLoop)
                try codec.syncMultiplexer().createStreamChannel { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(bound.value)
                    }
                }.assumeIsolated().whenFailure { stream.fail($0) }
            } catch {
                stream.fail(error)
                close()
            }
        }
        return true
    }

    /// The connection of a request that is given up before its response may be dead. It takes no others.
    func cancel(_ request: PooledRequest, _ error: any Error) {
        guard let stream = streams[request.id] else { return }
        if !stream.isAnswered { drain() }
        stream.fail(error)
    }

    private func drain() {
        isDraining = true
        owner.drained(id)
    }

    func close() {
        isDraining = true
        channel.close(promise: nil)
    }

    // MARK: Streams

    /// - Returns: Whether this is not the first request of the connection.
    func begins() -> Bool {
        requests += 1
        return requests > 1
    }

    func answered() { hasAnswered = true }

    func ended(_ request: PooledRequest) {
        guard streams.removeValue(forKey: request.id) != nil else { return }
        owner.ended(on: id, isReusable: !isDraining)
    }

    /// Returns what the failure of a stream without a response means.
    func meaning(of error: any Error) -> any Error {
        let code = (error as? NIOHTTP2Errors.StreamClosed)?.errorCode
        // The request was not processed (RFC 9113 §8.7): the server allows fewer at a time than were sent.
        if code == .refusedStream, hasAnswered || streams.count > 1 { return ReusedConnectionClosed() }
        guard channel.isActive, !isDraining || code != nil else {
            return hasAnswered ? ReusedConnectionClosed() : ConnectionFailure.closedHTTP2
        }
        return error
    }

    // MARK: Events

    /// Raises the window to as much as the connection takes. Without this, NIO does so after the first bytes, and the
    /// server would wait for a round trip.
    func handlerAdded(context: ChannelHandlerContext) {
        let increment = Self.connectionWindow - Self.initialWindow
        let frame = HTTP2Frame(streamID: .rootStream, payload: .windowUpdate(windowSizeIncrement: increment))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .settings(.settings(let settings)):
            for setting in settings where setting.parameter == .maxConcurrentStreams {
                places = min(setting.value, Self.mostStreams)
                owner.limited(id, to: places)
            }
        case .goAway: drain()
        case .pushPromise: close()
        default: break
        }
    }

    /// Limit on the streams of a server that states a higher one.
    private static let mostStreams = 1000

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Errors of single streams are theirs. The handler below TLS closes after an error of the connection.
    }

    func channelInactive(context: ChannelHandlerContext) {
        isDraining = true
        for stream in Array(streams.values) { stream.lost() }
        owner.closed(id)
        context.fireChannelInactive()
    }
}
