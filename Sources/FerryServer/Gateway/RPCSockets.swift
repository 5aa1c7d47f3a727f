import FerryAria2
import FerryCore
import Logging
import NIOCore
import NIOWebSocket
import ServiceLifecycle

/// Serves aria2's interface on WebSockets: one call after another on each, and notifications once the secret was given.
///
/// Programs of the daemon's own user on this machine are told at once, as aria2 tells everybody: some clients listen on a
/// connection on which they never call. They could read the secret; pages of their browsers are judged by their origin.
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
                    // A connection without the secret takes a place that others need.
                    silence.cancel()
                    continuation.yield()
                    continuation.finish()
                }
                if LocalPeer.isOwn(channel) { authorize() }
                group.addTask {
                    for await _ in authorized { return await tell(writer) }
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
                // Calls and notifications end with the connection.
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
        // The stream can be read by one iterator alone.
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
                    // Both have said goodbye, and the server closes first (RFC 6455 §7.1.1).
                    await writer.close(code)
                    return writer.leave()
                }
            }
            writer.leave()
        } catch {
            // The connection broke, or the decoder has refused a frame and said so.
            writer.leave(after: limits.farewell)
        }
    }

    /// Answers one message; false if a wrong secret cannot even wait for its answer.
    private func answer(
        _ message: [UInt8], _ writer: SocketWriter, _ authorize: @Sendable () -> Void
    ) async throws -> Bool {
        var answer = await endpoint.answer(message)
        // A client that does not read holds one copy of its answer.
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

    /// Says why a connection ends, and reads what still comes: bytes that are not read would take the answer away from the client.
    private func end(
        _ writer: SocketWriter, _ code: WebSocketErrorCode,
        _ frames: inout NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    ) async {
        await writer.close(code)
        writer.leave(after: limits.farewell)
        do {
            while let frame = try await frames.next(), frame.opcode != .connectionClose {}
        } catch {
            // What is no frame means nothing any more.
        }
        writer.leave()
    }

    // MARK: Notifications

    private func tell(_ writer: SocketWriter) async {
        do {
            for await notification in try await endpoint.notifications() {
                try await writer.text(ByteBuffer(bytes: notification))
            }
        } catch {
            // Without events, and without a connection, there is nothing to tell.
        }
        // It has not taken what waited for it, or there are no events any more.
        if !Task.isCancelled { writer.leave() }
    }
}

/// Writes whole frames of a server, which are not masked.
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

    /// Sends a close frame (RFC 6455 §5.5.1); nothing is sent after it.
    func close(_ code: WebSocketErrorCode) async {
        var bytes = ByteBuffer()
        bytes.write(webSocketErrorCode: code)
        try? await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: bytes))
        outbound.finish()
    }

    /// Closes the connection after what was written before.
    func leave() {
        let channel = channel
        // What was written last may still be on its way to the loop.
        channel.eventLoop.execute { channel.close(promise: nil) }
    }

    /// Closes the connection after some time, if it is still open then.
    func leave(after time: TimeAmount) {
        let channel = channel
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
