import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on `localhost` that fails HTTP/2 requests in one way and serves a text over HTTP/1.1.
package final class FailingHTTP2Server: Sendable {
    /// The response to an HTTP/2 request.
    package enum Fault: Sendable {
        /// RST_STREAM with HTTP_1_1_REQUIRED (RFC 9113 §7).
        case streamRefused
        /// GOAWAY with HTTP_1_1_REQUIRED.
        case connectionRefused
        /// A head with a field of 45,000 bytes, in both versions.
        case largeHead
        /// A head with a field that HTTP/2 forbids, which is a stream error (RFC 9113 §8.1.1).
        case malformedHead
        /// No fault, but the server closes the connection after its first response and then speaks HTTP/1.1 only.
        case goesBack
        /// Two pushed streams, which the server promises without acknowledging the settings that forbid it, and resets
        /// (RFC 9113 §8.4).
        case pushes
        /// No response at all.
        case silence
        /// These heads in order, then a body unless the last head ends the stream.
        case heads([Head])
        /// No fault, but a trailer of less than 127 bytes after a body of stated length.
        case trailer(name: String, value: String)

        /// The faults that do not affect HTTP/1.1.
        package static let ofHTTP2: [Fault] = [
            .streamRefused, .connectionRefused, .largeHead, .malformedHead, .pushes,
        ]
    }

    /// A response head that is sent without validation.
    package struct Head: Sendable, ExpressibleByStringLiteral {
        var status: String
        /// Whether the head ends the stream.
        var ends = false

        package init(_ status: String, ends: Bool = false) {
            self.status = status
            self.ends = ends
        }

        package init(stringLiteral status: String) { self.init(status) }
    }

    package static let text = "over HTTP/1.1"
    /// Body of the successful HTTP/2 responses.
    package static let text2 = "over HTTP/2"

    private let channel: any Channel
    private let certificates: TestCertificates
    private let log: RequestLog

    private init(_ channel: any Channel, _ certificates: TestCertificates, _ log: RequestLog) {
        self.channel = channel
        self.certificates = certificates
        self.log = log
    }

    /// - Parameter answersFirst: Whether the first request of a connection gets a response. Half of its body is sent
    ///   immediately, and the other half after the next request has failed.
    package static func start(_ fault: Fault, answersFirst: Bool = false) async throws -> FailingHTTP2Server {
        let certificates = try await TestCertificates.make()
        do {
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.certificateFile)
                    .map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.keyFile, format: .pem)))
            configuration.applicationProtocols = ["h2", "http/1.1"]
            let context = try NIOSSLContext(configuration: configuration)
            configuration.applicationProtocols = ["http/1.1"]
            let later = try NIOSSLContext(configuration: configuration)
            let log = RequestLog()
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        let isFirst = log.state.withLock { state in
                            defer { state.connections += 1 }
                            return state.connections == 0
                        }
                        let hasChanged = if case .goesBack = fault { !isFirst } else { false }
                        try pipeline.addHandler(NIOSSLServerHandler(context: hasChanged ? later : context))
                        try pipeline.addHandler(FailingHTTP2Handler(fault, answersFirst: answersFirst, log))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            return FailingHTTP2Server(channel, certificates, log)
        } catch {
            certificates.remove()
            throw error
        }
    }

    package var caFile: String { certificates.caFile }

    package func url(_ path: String, host: String = "localhost") -> String {
        "https://\(host):\(channel.localAddress?.port ?? 0)\(path)"
    }

    /// Number of connections so far.
    package var connections: Int { log.state.withLock(\.connections) }

    /// Number of requests over HTTP/2.
    package var requests2: Int { log.state.withLock(\.requests2) }

    /// The request lines received over HTTP/1.1.
    package var requests1: [String] { log.state.withLock(\.requests1) }

    package func shutdown() async {
        try? await channel.close()
        certificates.remove()
    }
}

/// State shared by the connections of one server.
private final class RequestLog: Sendable {
    struct State {
        var requests1: [String] = []
        var requests2 = 0
        var connections = 0
    }

    let state = Mutex(State())
}

/// Implements as much of both versions as the faults need.
private final class FailingHTTP2Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    private let fault: FailingHTTP2Server.Fault
    private let log: RequestLog
    private var answersNext: Bool
    /// The stream with a half-sent response.
    private var answered: UInt32?
    private var received = ByteBuffer()
    private var isHTTP2 = false

    init(_ fault: FailingHTTP2Server.Fault, answersFirst: Bool, _ log: RequestLog) {
        self.fault = fault
        answersNext = answersFirst
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        received.writeBuffer(&part)
        if !isHTTP2, received.readableBytes >= Self.preface.utf8.count,
            received.getString(at: received.readerIndex, length: Self.preface.utf8.count) == Self.preface
        {
            isHTTP2 = true
            received.moveReaderIndex(forwardBy: Self.preface.utf8.count)
            send(frame(type: 4, stream: 0), context)
        }
        if isHTTP2 { readFrames(context) } else { readRequests(context) }
    }

    // MARK: HTTP/1.1

    private func readRequests(_ context: ChannelHandlerContext) {
        let text = String(buffer: received)
        guard text.hasSuffix("\r\n\r\n"), let line = text.split(separator: "\r\n").first else { return }
        received.clear()
        log.state.withLock { $0.requests1.append(String(line)) }
        let large = if case .largeHead = fault { "X-Large: \(largeValue)\r\n" } else { "" }
        let body = FailingHTTP2Server.text
        send(
            ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(large)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"), context)
    }

    private var largeValue: String { String(repeating: "v", count: 45_000) }

    // MARK: HTTP/2

    private func readFrames(_ context: ChannelHandlerContext) {
        // Length (24 bits), type, flags, stream.
        while received.readableBytes >= 9, let word = received.getInteger(at: received.readerIndex, as: UInt32.self),
            received.readableBytes >= 9 + Int(word >> 8)
        {
            received.moveReaderIndex(forwardBy: 4)
            let flags = received.readInteger(as: UInt8.self) ?? 0
            let stream = received.readInteger(as: UInt32.self) ?? 0
            received.moveReaderIndex(forwardBy: Int(word >> 8))
            switch word & 0xFF {
            case 1: take(stream, context)
            case 4 where flags & 1 == 0 && !pushes: send(frame(type: 4, flags: 1, stream: 0), context)
            default: break
            }
        }
    }

    private func take(_ stream: UInt32, _ context: ChannelHandlerContext) {
        // Counted before the client can know of it.
        log.state.withLock { $0.requests2 += 1 }
        let text = Array(FailingHTTP2Server.text2.utf8)
        if answersNext {
            answersNext = false
            answered = stream
            send(frame(type: 1, flags: 4, stream: stream, [0x88]), context)
            send(frame(type: 0, stream: stream, Array(text.prefix(5))), context)
        } else {
            fail(stream, context)
            if let answered { send(frame(type: 0, flags: 1, stream: answered, Array(text.dropFirst(5))), context) }
            answered = nil
        }
    }

    private var pushes: Bool { if case .pushes = fault { true } else { false } }

    private func fail(_ stream: UInt32, _ context: ChannelHandlerContext) {
        switch fault {
        case .goesBack:
            send(frame(type: 1, flags: 4, stream: stream, [0x88]), context)
            send(frame(type: 0, flags: 1, stream: stream, Array(FailingHTTP2Server.text2.utf8)), context)
            send(frame(type: 7, stream: 0, [0, 0, 0, UInt8(stream & 0x7F), 0, 0, 0, 0]), context)
            context.close(promise: nil)
        case .pushes:
            for promised: UInt8 in [2, 4] {
                // `:method: GET`, `:scheme: https`, `:path: /`, `:authority: x` (RFC 7541 §6).
                let head: [UInt8] = [0, 0, 0, promised, 0x82, 0x87, 0x84, 0x41, 0x01, 0x78]
                send(frame(type: 5, flags: 4, stream: stream, head), context)
            }
            for promised: UInt32 in [2, 4] { send(frame(type: 3, stream: promised, [0, 0, 0, 8]), context) }
        case .silence: break
        case .streamRefused: send(frame(type: 3, stream: stream, [0, 0, 0, 0x0D]), context)
        case .connectionRefused:
            send(frame(type: 7, stream: 0, [0, 0, 0, 0, 0, 0, 0, 0x0D]), context)
            context.close(promise: nil)
        case .malformedHead:
            // `connection: close` as a literal without indexing (RFC 7541 §6.2.2).
            let field = [0x00, 10] + Array("connection".utf8) + [5] + Array("close".utf8)
            send(frame(type: 1, flags: 5, stream: stream, [0x88] + field), context)
        case .heads(let heads):
            for head in heads {
                // `:status` as a literal without indexing (RFC 7541 §6.2.2).
                let field = [0x08, UInt8(head.status.utf8.count)] + Array(head.status.utf8)
                send(frame(type: 1, flags: head.ends ? 5 : 4, stream: stream, field), context)
            }
            if heads.last?.ends != true {
                send(frame(type: 0, flags: 1, stream: stream, Array(FailingHTTP2Server.text2.utf8)), context)
            }
        case .trailer(let name, let value):
            let text = Array(FailingHTTP2Server.text2.utf8)
            let length = Array("\(text.count)".utf8)
            // `:status: 200`, and `content-length` as a literal with an indexed name (RFC 7541 §6.2.2).
            let head = [0x88, 0x0F, 0x0D, UInt8(length.count)] + length
            send(frame(type: 1, flags: 4, stream: stream, head), context)
            send(frame(type: 0, stream: stream, text), context)
            let field =
                [0x00, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
            send(frame(type: 1, flags: 5, stream: stream, field), context)
        case .largeHead:
            let fields = largeFields
            let pieces = stride(from: 0, to: fields.count, by: 16_000).map {
                Array(fields[$0..<min($0 + 16_000, fields.count)])
            }
            for (index, piece) in pieces.enumerated() {
                // END_STREAM is set on the first frame, END_HEADERS on the last one.
                let flags: UInt8 = (index == 0 ? 1 : 0) | (index == pieces.count - 1 ? 4 : 0)
                send(frame(type: index == 0 ? 1 : 9, flags: flags, stream: stream, piece), context)
            }
        }
    }

    /// `:status: 200` and a large field, in HPACK without compression (RFC 7541 §6).
    private var largeFields: [UInt8] {
        var fields: [UInt8] = [0x88, 0x00, 7] + Array("x-large".utf8) + [0x7F]
        var rest = largeValue.utf8.count - 127
        while rest >= 128 {
            fields.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return fields + [UInt8(rest)] + Array(largeValue.utf8)
    }

    private func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []) -> ByteBuffer {
        var frame = ByteBuffer()
        frame.writeInteger(UInt32(payload.count) << 8 | UInt32(type))
        frame.writeInteger(flags)
        frame.writeInteger(stream)
        frame.writeBytes(payload)
        return frame
    }

    private func send(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
