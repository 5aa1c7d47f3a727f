import FerryCore
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// Sits between the HTTP client and the HTTP codec of one connection.
///
/// - Reports the serving connection to each exchange, and sends exactly the exchange's request target.
/// - Sends nothing to a server with a certificate for another host.
/// - With an advisor, starts TLS with the first request and holds each request back until its own advisor has agreed.
///   Exchanges with different advisors can therefore share a connection.
/// - Holds an early connection's request back until the real request is known.
final class ConnectionTap: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Security {
        /// No check: plain HTTP, or TLS that was verified elsewhere.
        case none
        /// TLS with a certificate name that is not checked yet.
        case unchecked(ServerNameCheck)
        case waiting(NIOSSLContext)
        case handshaking
        case established(ShownCertificates)
    }

    private let directory: ExchangeDirectory
    private let heads: HeadMender
    /// Whether the connection leads to a proxy. Its TLS is not the origin's.
    private let isProxied: Bool
    private let connected = Date()
    private let listener = ChainListener()
    private var security: Security
    private var tls: NIOSSLHandler?
    private var requests = 0
    private var recorder: ExchangeRecorder?
    /// Parts of a request that its advisor has not agreed to, or that is not known yet.
    private var held: [(part: HTTPClientRequestPart, promise: EventLoopPromise<Void>?)] = []
    private var isHolding = false
    private var isClosed = false
    private var secureStart: Date?
    private var secureEnd: Date?

    /// - Parameters:
    ///   - context: The TLS context of a connection that starts TLS itself.
    ///   - names: The name check of a connection on which the HTTP client has started TLS.
    init(
        directory: ExchangeDirectory, heads: HeadMender, security context: NIOSSLContext?, names: ServerNameCheck?,
        isProxied: Bool
    ) {
        self.isProxied = isProxied
        self.directory = directory
        self.heads = heads
        security = context.map(Security.waiting) ?? names.map(Security.unchecked) ?? .none
    }

    // MARK: Outbound

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        if case .head(var head) = part {
            let owner = directory.claim(&head)
            requests += 1
            heads.expect()
            part = .head(head)
            switch owner {
            case .unmarked: recorder = nil
            case .exchange(let found): recorder = found
            case .ended: return withhold(part, promise, ChannelError.ioOnClosedChannel, context: context)
            }
            // Late bytes of the last response would be read as this one's.
            if requests > 1, context.channel.hasUnreadInput {
                return withhold(part, promise, ReusedConnectionClosed(), context: context)
            }
            do { try checkName(context) } catch { return withhold(part, promise, error, context: context) }
            if let later = recorder?.laterHead { return hold(part, promise, until: later, context: context) }
            begin(head, context: context)
        } else if case .body(.byteBuffer(let bytes)) = part {
            heads.sent(bytes.readableBytes)
        }
        guard isHolding else { return context.write(wrapOutboundOut(part), promise: promise) }
        held.append((part, promise))
    }

    /// Holds the place of a request that is not known yet.
    private func hold(
        _ part: HTTPClientRequestPart, _ promise: EventLoopPromise<Void>?,
        until later: EventLoopFuture<HTTPRequestHead>, context: ChannelHandlerContext
    ) {
        isHolding = true
        held.append((part, promise))
        let recorder = recorder
        later.assumeIsolated().whenSuccess { head in
            guard self.recorder === recorder, !self.isClosed, !self.held.isEmpty else { return }
            self.held[0].part = .head(head)
            self.isHolding = false
            self.begin(head, context: context)
            if !self.isHolding { self.release(context) }
        }
    }

    /// Closes the connection instead of sending a request that is refused or has ended.
    private func withhold(
        _ part: HTTPClientRequestPart, _ promise: EventLoopPromise<Void>?, _ error: any Error,
        context: ChannelHandlerContext
    ) {
        recorder = nil
        isHolding = true
        held.append((part, promise))
        // Not during the client's own write.
        context.eventLoop.assumeIsolated().execute { self.refuse(error, context: context) }
    }

    func flush(context: ChannelHandlerContext) {
        if !isHolding { context.flush() }
    }

    private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let channel = context.channel
        let isReused = requests > 1
        let connected = connected
        let isDetailed = recorder?.isDetailed == true
        recorder?.change { facts in
            facts.isReusedConnection = isReused
            facts.requestStart = Date()
            guard isDetailed else { return }
            facts.localAddress = channel.localAddress?.ipAddress
            facts.localPort = channel.localAddress?.port
            facts.remoteAddress = channel.remoteAddress?.ipAddress
            facts.remotePort = channel.remoteAddress?.port
            facts.requestHeaderBytes = head.size
            guard !isReused else { return }
            // The connection may have been opened for an exchange that has ended, before this one began.
            facts.connectStart = facts.fetchStart.map { min($0, connected) }
            facts.connectEnd = connected
        }
        switch security {
        case .none, .unchecked: noteTLS(context)
        case .waiting(let configuration): startTLS(configuration, context: context)
        case .handshaking: isHolding = true
        case .established(let shown): ask(about: shown, context: context)
        }
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let recorder, recorder.isDetailed { recorder.change { $0.responseHeaderBytes += head.size } }
            if (102..<200).contains(head.status.code) || head.status == .continue { recorder?.informed(head) }
        case .body: break
        case .end: recorder = nil
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshaking = security, case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            secureEnd = Date()
            if let question = recorder?.trust {
                let shown = listener.shown(
                    for: question.checksHost ? question.url.host : nil, leaf: tls?.peerCertificate, now: Date())
                security = .established(shown)
                ask(about: shown, context: context)
            } else {
                refuse(ChannelError.ioOnClosedChannel, context: context)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        drop(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        isClosed = true
        drop(ChannelError.ioOnClosedChannel)
    }

    // MARK: TLS and trust

    /// Checks the certificate once: each connection serves one host.
    private func checkName(_ context: ChannelHandlerContext) throws {
        guard case .unchecked(let names) = security else { return }
        try names.check(context.channel)
        security = .none
    }

    private func startTLS(_ configuration: NIOSSLContext, context: ChannelHandlerContext) {
        isHolding = true
        security = .handshaking
        secureStart = Date()
        do {
            guard let url = recorder?.trust?.url else {
                throw ServiceError(.internal, "A request has no advisor to ask about trust.")
            }
            let handler = try ListeningTLS.handler(configuration, host: url.host, listener: listener)
            tls = handler
            let pipeline = context.pipeline.syncOperations
            let below = try? pipeline.context(name: TLSLayer.proxy).handler
            try pipeline.addHandler(handler, position: below.map { .after($0) } ?? .first)
        } catch {
            // Not during the client's own write.
            context.eventLoop.assumeIsolated().execute { self.refuse(error, context: context) }
        }
    }

    private func ask(about shown: ShownCertificates, context: ChannelHandlerContext) {
        isHolding = true
        noteTLS(context)
        guard let recorder, let question = recorder.trust else {
            return refuse(ServiceError(.internal, "A request has no advisor to ask about trust."), context: context)
        }
        context.eventLoop.makeFutureWithTask { await question.verdict(on: shown, recorder: recorder) }
            .assumeIsolated().whenSuccess { fault in
                // A request that ended meanwhile closed its connection.
                guard self.recorder === recorder, !self.isClosed else { return }
                if let fault { return self.refuse(fault, context: context) }
                recorder.change { $0.requestStart = Date() }
                self.release(context)
            }
    }

    private func noteTLS(_ context: ChannelHandlerContext) {
        guard recorder?.isDetailed == true else { return }
        let handler = tls ?? originTLS(context)
        guard let version = handler?.tlsVersion else { return }
        let isFirst = requests == 1
        let (start, end) = (secureStart, secureEnd)
        recorder?.change { facts in
            facts.tlsVersion = FerryCore.TLSVersion(version)
            guard isFirst else { return }
            (facts.secureConnectionStart, facts.secureConnectionEnd) = (start, end)
            facts.connectEnd = end ?? facts.connectEnd
        }
    }

    /// Returns the TLS handler that another party installed, if any.
    private func originTLS(_ context: ChannelHandlerContext) -> NIOSSLHandler? {
        let pipeline = context.pipeline.syncOperations
        guard isProxied else { return try? pipeline.handler(type: NIOSSLHandler.self) }
        return (try? pipeline.context(name: TLSLayer.origin))?.handler as? NIOSSLHandler
    }

    private func release(_ context: ChannelHandlerContext) {
        isHolding = false
        let parts = held
        held = []
        for (part, promise) in parts { context.write(wrapOutboundOut(part), promise: promise) }
        context.flush()
    }

    /// Fails the request, which closes the connection.
    private func refuse(_ error: any Error, context: ChannelHandlerContext) {
        drop(error)
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func drop(_ error: any Error) {
        let parts = held
        held = []
        for (_, promise) in parts { promise?.fail(error) }
    }
}

extension HTTPRequestHead {
    /// Size in HTTP/1.1 syntax, in bytes.
    fileprivate var size: Int64 { Int64(method.rawValue.utf8.count + uri.utf8.count + 14) + headers.size }
}

extension HTTPResponseHead {
    fileprivate var size: Int64 { Int64(status.reasonPhrase.utf8.count + 17) + headers.size }
}

extension HTTPHeaders {
    /// Each field adds a colon, a space, CR and LF.
    fileprivate var size: Int64 { reduce(0) { $0 + Int64($1.name.utf8.count + $1.value.utf8.count + 4) } }
}
