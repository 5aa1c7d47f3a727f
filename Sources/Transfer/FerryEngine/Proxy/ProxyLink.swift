import FerryCore
import FerryRules
import Foundation
import NIOCore
import NIOSSL

/// Pipeline names of the TLS handlers of a connection through a proxy.
enum TLSLayer {
    /// Between Ferry and the proxy.
    static let proxy = "ferry-proxy-tls"
    /// Between Ferry and the origin, within a tunnel.
    static let origin = "ferry-origin-tls"
}

/// The steps between a connection to a proxy and its first request: TLS to the proxy, the tunnel, TLS to the origin.
///
/// The HTTP client sees a plain HTTP connection to the proxy. Therefore HTTP/2 is not used through proxies.
struct ProxyLink: Sendable {
    let proxy: ProxyChoice
    /// The origin, even if requests are sent to the proxy itself.
    let target: TunnelTarget
    let isTunnel: Bool
    /// TLS to the proxy, or `nil` for a proxy without TLS.
    let proxyTLS: NIOSSLContext?
    /// TLS to the origin, or `nil` if there is none or the connection starts it with its first request.
    let originTLS: NIOSSLContext?
    /// The check of the origin's certificate.
    let verification: Verification
    let names: NameResolver
    /// Seconds until the first request can be sent.
    let timeout: Double

    /// Prepares a connection for requests. Call it on the connection's event loop.
    ///
    /// The future fails with a ``ProxyFailure``, or with an error of TLS to the origin. The connection is closed after
    /// that.
    func establish(on channel: any Channel) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        let result = loop.makePromise(of: Void.self)
        let timer = loop.scheduleTask(in: .nanoseconds(Int64(timeout * 1e9))) {
            result.fail(failure(.timedOut(seconds: timeout)))
        }
        startProxyTLS(channel).flatMap { openTunnel(channel) }.flatMap { startOriginTLS(channel) }
            .cascade(to: result)
        result.futureResult.whenComplete { outcome in
            timer.cancel()
            guard case .failure = outcome else { return }
            // After the HTTP client has noticed that it has no connection.
            loop.scheduleTask(in: .zero) { channel.close(promise: nil) }
        }
        return result.futureResult
    }

    private func failure(_ cause: ProxyFailure.Cause) -> ProxyFailure {
        ProxyFailure(proxy: proxy, target: target, cause: cause)
    }

    // MARK: The proxy

    private func startProxyTLS(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let proxyTLS else { return channel.eventLoop.makeSucceededVoidFuture() }
        return Self.startTLS(proxyTLS, .named(proxy.host), host: proxy.host, name: TLSLayer.proxy, on: channel)
            .flatMapErrorThrowing { error in throw failure(Self.isEnd(error) ? .closed : .tls(error)) }
    }

    private func openTunnel(_ channel: any Channel) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        guard isTunnel else { return loop.makeSucceededVoidFuture() }
        let established = loop.makePromise(of: Void.self)
        let handler = ProxyHandshakeHandler(handshake(on: loop), established: established)
        let bound = NIOLoopBound(handler, eventLoop: loop)
        do {
            let pipeline = channel.pipeline.syncOperations
            let tls = try? pipeline.context(name: TLSLayer.proxy).handler
            try pipeline.addHandler(handler, position: tls.map { .after($0) } ?? .first)
        } catch {
            established.fail(error)
        }
        return established.futureResult
            .flatMap { channel.pipeline.syncOperations.removeHandler(bound.value) }
            .flatMapErrorThrowing { error in throw failure(Self.cause(error)) }
    }

    private static func cause(_ error: any Error) -> ProxyFailure.Cause {
        switch error {
        case let refusal as ProxyRefusal: .refused(refusal)
        case let unknown as NameCache.Failure: .unknownHost(unknown)
        default: isEnd(error) ? .closed : .broken(error)
        }
    }

    /// Returns whether the proxy has simply closed the connection.
    private static func isEnd(_ error: any Error) -> Bool {
        switch error {
        case let error as ChannelError: error == .inputClosed || error == .ioOnClosedChannel || error == .eof
        case NIOSSLError.uncleanShutdown: true
        default: false
        }
    }

    private func handshake(on loop: any EventLoop) -> EventLoopFuture<any ProxyHandshake> {
        switch (proxy.scheme, SOCKSHandshake.Address(host: target.host)) {
        case (.http, _), (.https, _):
            return loop.makeSucceededFuture(ConnectHandshake(target: target, credentials: proxy.credentials))
        case (.socks5, .name(let name)):
            return address(of: name, on: loop).map { socks(.address($0)) }
        case (.socks5, let address), (.socks5h, let address):
            return loop.makeSucceededFuture(socks(address))
        }
    }

    private func socks(_ address: SOCKSHandshake.Address) -> any ProxyHandshake {
        SOCKSHandshake(address: address, port: target.port, credentials: proxy.credentials)
    }

    private func address(of name: String, on loop: any EventLoop) -> EventLoopFuture<IPAddress> {
        switch names.ask(name, on: loop) {
        case .known(let finding): loop.makeCompletedFuture { try Self.first(finding.get()) }
        case .later(let addresses): addresses.flatMapThrowing { try Self.first($0) }
        }
    }

    private static func first(_ addresses: [String]) throws(NameCache.Failure) -> IPAddress {
        guard let address = addresses.compactMap({ IPAddress($0) }).first else { throw .notFound }
        return address
    }

    // MARK: The origin

    private func startOriginTLS(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let originTLS else { return channel.eventLoop.makeSucceededVoidFuture() }
        return Self.startTLS(originTLS, verification, host: target.host, name: TLSLayer.origin, on: channel)
    }

    /// The check for a server's certificate.
    enum Verification: Sendable {
        /// Issued by a trusted authority, for this host.
        case named(String)
        /// Issued by a trusted authority.
        case trusted
        case anything

        /// - Throws: ``CertificateFault``.
        func check(_ listener: ChainListener, leaf: NIOSSLCertificate?) throws(CertificateFault) {
            var host: String?
            switch self {
            case .anything: return
            case .trusted: break
            case .named(let name): host = name
            }
            if let fault = listener.shown(for: host, leaf: leaf, now: Date()).fault { throw fault }
        }
    }

    /// Adds TLS on top of the existing handlers, waits for the end of its handshake, and checks the certificate.
    private static func startTLS(
        _ context: NIOSSLContext, _ verification: Verification, host: String, name: String, on channel: any Channel
    ) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        let established = loop.makePromise(of: Void.self)
        do {
            let pipeline = channel.pipeline.syncOperations
            let listener = ChainListener()
            let tls = try ListeningTLS.handler(context, host: host, listener: listener)
            let wait = TLSHandshakeWait(established)
            let below = try? pipeline.context(name: TLSLayer.proxy).handler
            try pipeline.addHandler(wait, position: below.map { .after($0) } ?? .first)
            try pipeline.addHandler(tls, name: name, position: .before(wait))
            let bound = NIOLoopBound((tls, wait, listener), eventLoop: loop)
            return established.futureResult
                .flatMap { channel.pipeline.syncOperations.removeHandler(bound.value.1) }
                .flatMapThrowing { try verification.check(bound.value.2, leaf: bound.value.0.peerCertificate) }
        } catch {
            established.fail(error)
            return loop.makeFailedFuture(error)
        }
    }
}

extension String {
    /// The server name for TLS, or `nil` for an address, which cannot be a server name (RFC 6066 §3).
    var serverName: String? { IPAddress(self) == nil && !hasPrefix("[") ? withoutFinalStop : nil }
}
