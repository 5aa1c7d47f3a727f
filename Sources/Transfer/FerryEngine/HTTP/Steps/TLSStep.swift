import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOSSL
import NIOTLS

/// TLS with the origin or with a proxy, up to the check of the certificate.
struct TLSStep: ConnectionStep {
    let context: NIOSSLContext
    /// As in the URL. Never a resolved address.
    let host: String
    let verification: Verification
    /// The proxy if this is TLS with the proxy.
    let proxy: ProxyChoice?

    func perform(_ setup: ConnectionSetup) -> EventLoopFuture<Void> {
        let loop = setup.loop
        if proxy == nil { setup.facts.secureStart = Date() }
        let established = loop.makePromise(of: String?.self)
        let listener = ChainListener(isStrict: verification.isStrict)
        let gate = TLSHandshakeWait(established)
        do {
            let tls = try ListeningTLS.handler(context, host: host, listener: listener)
            let bound = NIOLoopBound((tls, listener, setup), eventLoop: loop)
            try setup.add([tls], gate: gate)
            return established.futureResult.flatMapThrowing { agreed in
                let (tls, listener, setup) = bound.value
                guard proxy == nil else { return try verification.check(listener, leaf: tls.peerCertificate) }
                setup.agreed = agreed
                setup.facts.secureEnd = Date()
                setup.facts.tlsVersion = tls.tlsVersion.map(FerryCore.TLSVersion.init)
                setup.facts.shown = try verification.shown(listener, leaf: tls.peerCertificate)
            }
            .flatMapErrorThrowing { error in
                guard let proxy else { throw error }
                throw ProxyFailure(
                    proxy, bound.value.2.target.tunnel, ProxyFailure.isEnd(error) ? .closed : .tls(error))
            }
        } catch {
            established.fail(error)
            return loop.makeFailedFuture(error)
        }
    }

    /// The check of a server's certificate.
    enum Verification: Sendable {
        /// Issued by a trusted authority, for this host.
        case named(String)
        /// Issued by a trusted authority.
        case trusted
        case anything
        /// Requests' advisors decide. Without a host, any is accepted.
        case asked(String?)
        /// Like `named` or `trusted`, and the handshake fails before a client certificate is sent.
        indirect case strict(Verification)

        init(_ target: ConnectionTarget, _ origin: Origin) {
            let key = target.key
            let host = key.skipsHostVerification ? nil : origin.host
            if key.asksForTrust {
                self = .asked(host)
            } else if key.isInsecure {
                self = .anything
            } else {
                let usual = host.map(Self.named) ?? .trusted
                self = key.trust?.chain.isEmpty == false ? .strict(usual) : usual
            }
        }

        var isStrict: Bool { if case .strict = self { true } else { false } }

        /// - Throws: ``CertificateFault``.
        func check(_ listener: ChainListener, leaf: NIOSSLCertificate?) throws(CertificateFault) {
            _ = try shown(listener, leaf: leaf)
        }

        /// Returns the certificates for the advisors, or `nil` if none is asked.
        ///
        /// - Throws: ``CertificateFault``.
        func shown(_ listener: ChainListener, leaf: NIOSSLCertificate?) throws(CertificateFault) -> ShownCertificates? {
            switch self {
            case .anything: return nil
            case .asked(let host): return listener.shown(for: host, leaf: leaf, now: Date())
            case .strict(let usual): return try usual.shown(listener, leaf: leaf)
            case .named(let name):
                if let fault = listener.shown(for: name, leaf: leaf, now: Date()).fault { throw fault }
            case .trusted:
                if let fault = listener.shown(for: nil, leaf: leaf, now: Date()).fault { throw fault }
            }
            return nil
        }
    }
}

/// Holds back what arrives on a connection until the handler for it exists.
protocol ReadGate: ChannelHandler {
    func open()
}

/// Waits for the end of the TLS handshake below it.
///
/// The server may send right after the handshake, in the same packet.
final class TLSHandshakeWait: ChannelInboundHandler, RemovableChannelHandler, ReadGate {
    typealias InboundIn = ByteBuffer

    private let established: EventLoopPromise<String?>
    private var context: ChannelHandlerContext?
    private var early: [NIOAny] = []

    /// - Parameter established: Completed with the protocol that was agreed, if any.
    init(_ established: EventLoopPromise<String?>) { self.established = established }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        established.fail(ChannelError.inputClosed)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let agreed)? = event as? TLSUserEvent { established.succeed(agreed) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { early.append(data) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { established.fail(error) }

    func channelInactive(context: ChannelHandlerContext) {
        established.fail(ChannelError.inputClosed)
        context.fireChannelInactive()
    }

    func open() {
        guard let context else { return }
        for data in early { context.fireChannelRead(data) }
        early = []
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}
