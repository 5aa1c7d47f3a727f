import FerryCore
import FerryRules
import NIOCore

/// Sits below the HTTP codec and rewrites each response head to a form with only one interpretation.
///
/// Changes heads only. Bodies pass unchanged, including the trailers of chunked ones.
final class HeadMender: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// The bytes are a body, or were not requested.
        case passing
        /// The next bytes are a head.
        case expecting
        case failed
    }

    private var state = State.passing
    /// The beginning of an incomplete head.
    private var gathered = ByteBuffer()
    private var searched = 0
    /// Whether an informational head of the response had a bare line feed.
    private var followsBareEnd = false
    private var informational = InformationalLimit()

    /// Expects a response head next, because a request is being sent.
    func expect() {
        informational = InformationalLimit()
        if case .passing = state { state = .expecting }
    }

    /// Records that bytes of the request's body were sent.
    func sent(_ count: Int) { informational.sent(count) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .passing: return context.fireChannelRead(data)
        case .failed: return
        case .expecting: break
        }
        var part = unwrapInboundIn(data)
        if gathered.readableBytes == 0 { gathered = part } else { gathered.writeBuffer(&part) }
        do throws(HeadFault) {
            let ready = try takeReady()
            if ready.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(ready)) }
        } catch {
            state = .failed
            gathered = ByteBuffer()
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The codec distinguishes an incomplete head from a connection closed between responses.
        let rest = gathered
        gathered = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
        context.fireChannelInactive()
    }

    /// Returns the bytes to pass on: all complete heads and the bytes after the last one.
    ///
    /// They form one buffer, so that the codec has consumed all of it before the next request can begin.
    private func takeReady() throws(HeadFault) -> ByteBuffer {
        var original = gathered
        var heads = ByteBuffer()
        var isMended = false
        while case .expecting = state, gathered.readableBytes > 0 {
            // Empty lines before a status line are ignored.
            while let byte = gathered.readableBytesView.first, byte == 0x0D || byte == 0x0A {
                gathered.moveReaderIndex(forwardBy: 1)
            }
            guard RawHead.mayBegin(gathered.readableBytesUInt8Span) else {
                state = .passing
                break
            }
            guard let end = RawHead.end(in: gathered.readableBytesUInt8Span, searched: &searched) else {
                guard gathered.readableBytes <= RawHead.limit else { throw Self.tooLong }
                break
            }
            searched = 0
            guard end <= RawHead.limit, var head = gathered.readSlice(length: end) else { throw Self.tooLong }
            let isInformational = try RawHead.status(head.readableBytesUInt8Span).isInformational
            if isInformational { try informational.take(end) } else { state = .passing }
            let follows = followsBareEnd
            followsBareEnd = isInformational && (follows || RawHead.hasBareEnd(head.readableBytesUInt8Span))
            if let mended = try RawHead.mended(head.readableBytesUInt8Span, followsBareEnd: follows) {
                head = ByteBuffer(bytes: mended)
                isMended = true
            }
            heads.writeBuffer(&head)
        }
        var rest = ByteBuffer()
        if case .passing = state { swap(&rest, &gathered) }
        guard isMended else {
            return original.readSlice(length: original.readableBytes - gathered.readableBytes) ?? original
        }
        heads.writeBuffer(&rest)
        return heads
    }

    private static var tooLong: HeadFault { HeadFault(text: "a head of more than \(RawHead.limit >> 10) KiB") }
}
