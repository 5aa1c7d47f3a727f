import FerryAria2
import FerryCore
import Logging
import NIOCore
import NIOWebSocket
import ServiceLifecycle

/// Serves aria2's interface on WebSockets: one call at a time per connection, and notifications once the secret was
/// presented.
///
/// Programs of the daemon's own user on this machine get notifications at once, as from aria2, because some clients
/// listen on a connection without ever calling. They could read the secret anyway. Pages in their browsers are checked
/// by origin.
struct RPCSockets: Sendable {
    let endpoint: RPCEndpoint
    let wrongSecrets: WrongSecrets
    let limits: GatewayLimits
    let log: RefusalLog

    /// Serves one connection until it ends.
    func serve(_ socket: GatewayChannel.Socket) async {
        let channel = socket.channel
        let silence = channel.eventLoop.scheduleTask(in: limits.silence) { channel.close(promise: nil) }
        try? await socket.executeThenClose { inbound, outbound in
            await withTaskGroup(of: Void.self) { group in
                let writer = SocketWriter(outbound, channel)
                let (authorized, continuation) = AsyncStream.makeStream(of: Void.self)
                let authorize: @Sendable () -> Void = {
                    // The timer closes connections without the secret, because others need the slot.
                    silence.cancel()
                    continuation.yield()
                    continuation.finish()
                }
                if LocalPeer.isOwn(channel) { authorize() }
                group.addTask {
                    for await _ in authorized { return await notify(writer) }
                }
                group.addTask {
                    await answer(inbound, writer, authorize)
                    continuation.finish()
                }
                group.addTask {
                    guard (try? await gracefulShutdown()) != nil else { return }
                    await writer.close(.goingAway)
                    writer.leave(after: limits.farewell)
                }
                // The end of the connection ends calls and notifications.
                try? await channel.closeFuture.get()
                group.cancelAll()
            }
        }
    }

    // MARK: Calls

    private func answer(
        _ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>, _ writer: SocketWriter,
        _ authorize: @Sendable () -> Void
    ) async {
        var messages = WebSocketMessages(most: GatewayRouter.mostBytes)
        var held = 0
        defer { limits.bodies.giveBack(held) }
        // The stream supports only one iterator.
        var frames = inbound.makeAsyncIterator()
        do {
            while let frame = try await frames.next() {
                let event = messages.take(frame)
                let more = messages.held - held
                guard more <= 0 || limits.bodies.take(more) else {
                    return await end(writer, .messageTooLarge, &frames)
                }
                if more < 0 { limits.bodies.giveBack(-more) }
                held = messages.held
                switch event {
                case .nothing: continue
                case .ping(let bytes): try await writer.pong(bytes)
                case .text(let text):
                    guard try await answer(Array(text.readableBytesView), writer, authorize) else {
                        return await end(writer, .policyViolation, &frames)
                    }
                case .close(let code):
                    guard frame.opcode == .connectionClose else {
                        log.note("a frame of a WebSocket")
                        return await end(writer, code, &frames)
                    }
                    // Both sides have sent a close frame, and the server closes first (RFC 6455 §7.1.1).
                    await writer.close(code)
                    return writer.leave()
                }
            }
            writer.leave()
        } catch {
            // The connection failed, or the decoder has refused a frame and reported it.
            writer.leave(after: limits.farewell)
        }
    }

    /// Responds to one message. Returns false if too many wrong secrets are already waiting for a response.
    private func answer(
        _ message: [UInt8], _ writer: SocketWriter, _ authorize: @Sendable () -> Void
    ) async throws -> Bool {
        var answer = await endpoint.answer(message)
        // For a client that does not read, only one copy of the response is held.
        let frame = ByteBuffer(bytes: answer.body)
        answer.body = []
        if answer.isAuthorized { authorize() }
        if answer.isUnauthorized {
            log.note("a wrong secret")
            guard await wrongSecrets.wait() else { return false }
        }
        try await writer.text(frame)
        return true
    }

    /// Sends a close frame with the reason and reads the remaining frames. Closing with unread bytes could discard the
    /// frame before the client reads it.
    private func end(
        _ writer: SocketWriter, _ code: WebSocketErrorCode,
        _ frames: inout NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    ) async {
        await writer.close(code)
        writer.leave(after: limits.farewell)
        do {
            while let frame = try await frames.next(), frame.opcode != .connectionClose {}
        } catch {
            // After an invalid frame nothing more is read.
        }
        writer.leave()
    }

    // MARK: Notifications

    private func notify(_ writer: SocketWriter) async {
        do {
            for await notification in try await endpoint.notifications() {
                try await writer.text(ByteBuffer(bytes: notification))
            }
        } catch {
            // Without events or a connection there is nothing to send.
        }
        // The client has not read its pending notifications, or the events have ended.
        if !Task.isCancelled { writer.leave() }
    }
}

/// Writes a server's frames, which are whole and unmasked.
struct SocketWriter: Sendable {
    private let outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private let channel: any Channel

    init(_ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ channel: any Channel) {
        self.outbound = outbound
        self.channel = channel
    }

    func text(_ bytes: ByteBuffer) async throws {
        try await outbound.write(WebSocketFrame(fin: true, opcode: .text, data: bytes))
    }

    func pong(_ bytes: ByteBuffer) async throws {
        try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: bytes))
    }

    /// Sends a close frame (RFC 6455 §5.5.1). Nothing can be sent after it.
    func close(_ code: WebSocketErrorCode) async {
        var bytes = ByteBuffer()
        bytes.write(webSocketErrorCode: code)
        try? await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes))
        outbound.finish()
    }

    /// Closes the connection after everything already written.
    func leave() {
        let channel = channel
        // The last write may not have reached the event loop yet.
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Closes the connection after some time, if it is still open.
    func leave(after time: TimeAmount) {
        let channel = channel
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
