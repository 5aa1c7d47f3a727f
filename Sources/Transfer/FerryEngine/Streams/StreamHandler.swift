import FerryCore
import NIOCore

/// Passes the bytes of a stream's channel to its reader. Used on its event loop only.
final class StreamHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var inbox = StreamInbox()
    private var waiting: (read: StreamRead, answer: EventLoopPromise<StreamPart>)?
    private var failure: (any Error)?
    private var context: ChannelHandlerContext?
    private var isPaused = false
    private var hasEnded = false
    private let ended: () -> Void

    /// - Parameter ended: Called once, when the peer sends no more.
    init(ended: @escaping () -> Void) { self.ended = ended }

    /// Whether all bytes that have arrived were read.
    var isDrained: Bool { inbox.isEmpty }

    func read(_ read: StreamRead, _ answer: EventLoopPromise<StreamPart>) {
        guard waiting == nil else {
            return answer.fail(ServiceError(.internal, "A stream has one reader at a time."))
        }
        waiting = (read, answer)
        proceed()
    }

    /// Ends the waiting read with an error. What has arrived stays for the next one.
    func stopReading(_ error: any Error) {
        let waiting = waiting.take()
        waiting?.answer.fail(error)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        proceed()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inbox.append(unwrapInboundIn(data))
        proceed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = error }
        proceed()
        context.close(promise: nil)
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        inbox.end()
        proceed()
        ended()
    }

    /// Answers the waiting read if possible, and takes more bytes from the network only while there is room for them.
    private func proceed() {
        if let failure, inbox.isEmpty {
            stopReading(failure)
        } else if let (read, answer) = waiting, var part = inbox.take(read) {
            waiting = nil
            // A broken stream has no end: the next read fails.
            if failure != nil { part.isAtEnd = false }
            answer.succeed(part)
        }
        let isFull = inbox.isFull(for: waiting?.read)
        guard let context, isFull != isPaused else { return }
        isPaused = isFull
        context.channel.setOption(.autoRead, value: !isFull).whenFailure { _ in }
    }
}
