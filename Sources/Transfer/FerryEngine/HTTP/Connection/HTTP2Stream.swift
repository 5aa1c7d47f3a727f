import FerryCore
import FerryRules
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One request over HTTP/2 and its response.
final class HTTP2Stream: ChannelDuplexHandler, ResponseCarrier {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    var delivery = ResponseDelivery()
    private(set) var carried: PooledRequest?
    /// The head of the request, once it may be sent.
    var head: RequestHead?
    private let connection: HTTP2Connection
    private(set) var context: ChannelHandlerContext?
    private var informational = InformationalLimit()
    /// Whether the final head has arrived.
    private(set) var isAnswered = false

    init(_ request: PooledRequest, _ connection: HTTP2Connection) {
        carried = request
        self.connection = connection
    }

    // MARK: The request

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { send(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        send(context)
        context.fireChannelActive()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let request = carried, let head = head.take() else { return context.close(promise: nil) }
        request.begins(head, on: connection.facts, isReused: connection.begins(), isOverHTTP2: true)
        let block = HTTP2Frame.FramePayload.Headers(headers: head.block, endStream: true)
        context.writeAndFlush(wrapOutboundOut(.headers(block)), promise: nil)
        request.receiver.sentRequest()
    }

    // MARK: The response

    func read(context: ChannelHandlerContext) { readUnlessBusy(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let head): received(head)
        case .data(let data):
            if case .byteBuffer(let bytes) = data.data, bytes.readableBytes > 0 { deliver(.part(bytes)) }
            if data.endStream { deliver(.end(trailers: [])) }
        case .pushPromise: connection.close()
        default: break
        }
    }

    private func received(_ block: HTTP2Frame.FramePayload.Headers) {
        guard !isAnswered else { return block.endStream ? deliver(.end(trailers: block.fields)) : () }
        do throws(HeadFault) {
            let head = ReceivedHead(
                status: try StatusCode(block.headers.first(name: ":status") ?? "").number, major: 2,
                fields: block.fields)
            if head.isInformational {
                // RFC 9113 §8.1.
                guard !block.endStream else { throw HeadFault(text: "an informational status and no other") }
                try informational.take(Int(head.size))
            } else {
                isAnswered = true
                connection.answered()
            }
            carried?.received(head)
            if block.endStream { deliver(.end(trailers: [])) }
        } catch {
            fail(error)
        }
    }

    // MARK: Ends

    func deliveredEnd(_ trailers: [HeaderField]) {
        guard let request = carried.take() else { return }
        connection.ended(request)
        request.finished(trailers, places: connection.places)
    }

    func deliveredFailure(_ error: any Error) { fail(error) }

    /// Fails the request, and resets the stream.
    func fail(_ error: any Error) {
        guard let request = carried.take() else { return }
        connection.ended(request)
        request.failed(error)
        context?.close(promise: nil)
    }

    /// Ends the response with what has arrived, because the connection has closed.
    func lost() { lost(ConnectionFailure.closedHTTP2) }

    private func lost(_ error: any Error) {
        guard carried != nil, !delivery.hasEnd else { return }
        if isAnswered { deliver(.failure(error)) } else { fail(connection.meaning(of: error)) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { lost(error) }

    func channelInactive(context: ChannelHandlerContext) { lost(ConnectionFailure.closedHTTP2) }
}

extension HTTP2Frame.FramePayload.Headers {
    /// The fields without pseudo-header fields (RFC 9113 §8.3).
    fileprivate var fields: [HeaderField] {
        headers.filter { !$0.name.hasPrefix(":") }.map { HeaderField(name: $0.name, value: $0.value) }
    }
}
