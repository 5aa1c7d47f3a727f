import FerryCore
import FerryRules
import NIOCore
import NIOHTTP1
import NIOSSL

/// A connection that speaks HTTP/1.1: one request at a time, and the next one after the end of its response.
///
/// Responses with an unambiguous head and a stated length are read here. All others are read by NIO's codec, which sits
/// above this handler and gets their heads in an unambiguous form.
final class HTTP1Connection: ChannelDuplexHandler, HTTPConnection, ResponseCarrier {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = ByteBuffer

    private enum Reading {
        /// No response is due.
        case idle
        case heads
        /// This many bytes of the body are missing.
        case body(Int64)
        /// The codec reads the rest of the response.
        case coded
        /// The response is complete, and may not have been delivered.
        case complete
    }

    let version = ConnectionPool.Version.http1
    let facts: ConnectionFacts
    var delivery = ResponseDelivery()
    private(set) var carried: PooledRequest?
    private let id: ConnectionPool.ConnectionID
    private let owner: any HTTPConnectionOwner
    private(set) var context: ChannelHandlerContext?
    private var coded: CodedResponse?
    private var requests = 0
    private var reading = Reading.idle
    private var heads = ResponseHeads(mayHaveBody: true)
    /// Whether any byte has arrived since the request was sent.
    private var isAnswered = false
    /// Whether the request has been sent, with its body.
    private var isSent = false
    /// Whether the server keeps the connection open after this response.
    private var isKeptAlive = false

    init(_ id: ConnectionPool.ConnectionID, _ facts: ConnectionFacts, owner: any HTTPConnectionOwner) {
        self.id = id
        self.facts = facts
        self.owner = owner
    }

    /// The handlers of the connection, above TLS. Call it once.
    var handlers: [any ChannelHandler] {
        let decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward)
        let coded = CodedResponse { [weak self] in self?.decoded($0) }
        self.coded = coded
        return [self, ByteToMessageHandler(decoder), coded]
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { (self.context, coded) = (nil, nil) }

    // MARK: Requests

    func send(_ request: PooledRequest) -> Bool {
        guard let context, context.channel.isActive, carried == nil else { return false }
        // Late bytes of the last response would be read as this one's.
        guard requests == 0 || !context.channel.hasUnreadInput else { return false }
        carried = request
        requests += 1
        delivery = ResponseDelivery()
        (isAnswered, isSent, isKeptAlive) = (false, false, false)
        request.prepare(on: facts, context.eventLoop) { [self] result in
            guard carried === request else { return }
            switch result {
            case .success(let head): write(head, of: request)
            case .failure(let error): fail(error)
            }
        }
        return true
    }

    private func write(_ head: RequestHead, of request: PooledRequest) {
        guard let context else { return fail(ConnectionFailure.closedBeforeHead) }
        heads = ResponseHeads(mayHaveBody: head.method != "HEAD")
        reading = .heads
        request.begins(head, on: facts, isReused: requests > 1)
        context.writeAndFlush(wrapOutboundOut(head.bytes(with: request.body, context.channel.allocator)), promise: nil)
        guard let body = request.body, body.length != 0 else { return sent(request) }
        let isChunked = body.length == nil
        let loop = context.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        body.begin(on: loop) { part, written in
            let this = bound.value
            guard this.carried === request, let context = this.context else {
                return written.fail(ChannelError.ioOnClosedChannel)
            }
            let count = part.readableBytes
            // The receiver counts what has left through the socket.
            written.futureResult.assumeIsolated().whenSuccess {
                guard this.carried === request else { return }
                this.heads.sent(count)
                request.receiver.sentPart(count)
            }
            context.writeAndFlush(this.wrapOutboundOut(isChunked ? part.chunk : part), promise: written)
        } sent: {
            let this = bound.value
            guard this.carried === request else { return }
            if isChunked, let context = this.context {
                context.writeAndFlush(this.wrapOutboundOut(ByteBuffer(string: "0\r\n\r\n")), promise: nil)
            }
            this.sent(request)
        } failed: { error in
            let this = bound.value
            // A lost connection is reported as such.
            guard this.carried === request, !(error is ChannelError), !(error is IOError) else { return }
            this.fail(error)
        }
    }

    private func sent(_ request: PooledRequest) {
        isSent = true
        request.receiver.sentRequest()
    }

    func cancel(_ request: PooledRequest, _ error: any Error) {
        guard carried === request else { return }
        fail(error)
    }

    func close() { context?.close(promise: nil) }

    // MARK: Responses

    func read(context: ChannelHandlerContext) { readUnlessBusy(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isAnswered = true
        switch reading {
        case .idle: return close()
        case .complete: isKeptAlive = false
        case .body(let missing): take(unwrapInboundIn(data), missing: missing)
        case .heads: takeHeads(unwrapInboundIn(data), context)
        case .coded: decode(unwrapInboundIn(data), context)
        }
    }

    private func takeHeads(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        heads.add(bytes)
        do throws(HeadFault) {
            while let request = carried {
                switch try heads.next() {
                case .nothing: return
                case .informational(let head): request.received(ReceivedHead(head))
                case .final(let head, let length, let rest):
                    isKeptAlive = head.isKeepAlive
                    reading = .body(length)
                    request.received(ReceivedHead(head))
                    if length == 0 || rest.readableBytes > 0 { take(rest, missing: length) }
                    return
                case .coded(let bytes):
                    reading = .coded
                    coded?.expect(responseTo: HTTPMethod(rawValue: request.method))
                    return decode(bytes, context)
                }
            }
        } catch {
            fail(error)
        }
    }

    private func take(_ bytes: ByteBuffer, missing: Int64) {
        var bytes = bytes
        let count = Int(min(missing, Int64(bytes.readableBytes)))
        // One request is sent at a time, so nothing can follow its response.
        if count < bytes.readableBytes { isKeptAlive = false }
        reading = missing == Int64(count) ? .complete : .body(missing - Int64(count))
        if count > 0, let part = bytes.readSlice(length: count) { deliver(.part(part)) }
        if case .complete = reading { deliver(.end(trailers: [])) }
    }

    // MARK: The codec

    private func decode(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        take(coded?.read(bytes, from: context) ?? .incomplete)
    }

    /// Not within the codec's own work: the next request must not begin before the codec is done.
    private func take(_ progress: CodedResponse.Progress) {
        guard case .coded = reading else { return }
        switch progress {
        case .incomplete: break
        case .failed(let error): lost(error)
        case .complete(let isExact):
            isKeptAlive = isExact && coded?.isKeptAlive == true
            reading = .complete
            deliver(.end(trailers: coded?.trailers ?? []))
        }
    }

    /// Drops what only tells the codec about a request: its head was written in another way.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) { promise?.succeed() }

    private func decoded(_ part: HTTPClientResponsePart) {
        switch part {
        case .head(let head):
            let fields = head.headers.map { HeaderField(name: $0.name, value: $0.value) }
            carried?.received(
                ReceivedHead(status: Int(head.status.code), major: head.version.major, fields: fields))
        case .body(let bytes): deliver(.part(bytes))
        case .end: break
        }
    }

    // MARK: Ends

    func deliveredEnd(_ trailers: [HeaderField]) {
        guard let request = carried else { return }
        guard !isSent, request.receiver.isSuccess, let body = request.body, let loop = context?.eventLoop else {
            return finish(request, trailers)
        }
        // A server that reports success before it has read the request has not stored what it never read.
        body.whenSent(on: loop, to: request.url).assumeIsolated().whenComplete { result in
            guard self.carried === request else { return }
            switch result {
            case .success: self.finish(request, trailers)
            case .failure(let error): self.fail(error)
            }
        }
    }

    private func finish(_ request: PooledRequest, _ trailers: [HeaderField]) {
        let isReusable = isSent && isKeptAlive && context?.channel.isActive == true
        (carried, reading) = (nil, .idle)
        resumeReading()
        delivery = ResponseDelivery()
        // First, so that the next request does not wait for what is made of this response.
        owner.ended(on: id, isReusable: isReusable)
        request.finished(trailers)
    }

    func deliveredFailure(_ error: any Error) { fail(error) }

    /// Fails the request, and closes the connection.
    private func fail(_ error: any Error) {
        guard let request = carried else { return close() }
        (carried, reading) = (nil, .idle)
        delivery = ResponseDelivery()
        owner.ended(on: id, isReusable: false)
        request.failed(error)
        close()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { lost(error) }

    func channelInactive(context: ChannelHandlerContext) {
        // The codec knows whether the response ends with the connection.
        if let coded { take(coded.end(context)) }
        lost(nil)
        owner.closed(id)
    }

    /// Ends the response with what has arrived.
    ///
    /// - Parameter error: `nil` if the server has closed the connection.
    private func lost(_ error: (any Error)?) {
        guard let request = carried else { return close() }
        guard !delivery.hasEnd else {
            // Only the request may be incomplete.
            if !isSent { request.body?.end(with: ConnectionFailure.closedEarly) }
            return
        }
        // A server that closes while the request arrives resets the connection, or ends it without closing TLS.
        let isClose = error == nil || error is IOError || error as? NIOSSLError == .uncleanShutdown
        if requests > 1, !isAnswered, isClose { return fail(ReusedConnectionClosed()) }
        if let error { return deliver(.failure(error)) }
        switch reading {
        case .idle, .complete: fail(ConnectionFailure.closedBeforeHead)
        case .heads:
            fail(heads.isIncomplete ? ConnectionFailure.closedEarly : .closedBeforeHead)
        case .body, .coded: deliver(.failure(ConnectionFailure.closedEarly))
        }
    }
}

extension ByteBuffer {
    /// The bytes as a chunk (RFC 9112 §7.1).
    fileprivate var chunk: ByteBuffer {
        var chunk = ByteBuffer(string: String(readableBytes, radix: 16) + "\r\n")
        chunk.writeImmutableBuffer(self)
        chunk.writeStaticString("\r\n")
        return chunk
    }
}
