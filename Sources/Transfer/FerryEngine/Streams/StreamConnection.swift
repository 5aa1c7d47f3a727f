package import FerryCore
import FerryRules
package import Foundation
import NIOCore

/// The properties of a stream's connection.
package struct StreamOptions: Sendable {
    /// Proxy variables. A stream uses the proxy of https requests, as a tunnel.
    package var proxyEnvironment: [String: String] = [:]
    package var minimumTLS: TLSVersion?
    package var maximumTLS: TLSVersion?

    package init() {}
}

/// A TCP connection on which an app speaks a protocol of its own. It may become secure later.
///
/// One read and one write at a time. Names, proxies and TLS are those of requests.
package final class StreamConnection: Sendable {
    private let url: HTTPURL
    private let connector: Connector
    private let setup: NIOLoopBound<ConnectionSetup>
    private let handler: NIOLoopBound<StreamHandler>
    private let loop: any EventLoop

    private init(
        _ url: HTTPURL, _ connector: Connector, _ setup: NIOLoopBound<ConnectionSetup>,
        _ handler: NIOLoopBound<StreamHandler>, _ loop: any EventLoop
    ) {
        self.url = url
        self.connector = connector
        self.setup = setup
        self.handler = handler
        self.loop = loop
    }

    deinit { close() }

    /// Connects to a host.
    ///
    /// - Parameters:
    ///   - host: A name or an address. An IPv6 address may have brackets.
    ///   - ended: Called once, when the peer sends no more.
    /// - Throws: `invalid_request` for an invalid host or port, or the error of connecting.
    package static func open(
        to host: String, port: Int, _ options: StreamOptions, engine: Engine, ended: @escaping @Sendable () -> Void
    ) async throws(ServiceError) -> StreamConnection {
        let shown = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard 1...65535 ~= port, let url = try? HTTPURL(parsing: "https://\(shown):\(port)/"), url.credentials == nil,
            url.port == port
        else {
            throw ServiceError(
                .invalidRequest, "“\(host.escapingControls)” with port \(port) is no host to connect to.")
        }
        var key = ConnectionKey()
        key.proxy = try ProxyRule.choose(for: url, environment: options.proxyEnvironment)
        (key.minimumTLS, key.maximumTLS) = (options.minimumTLS, options.maximumTLS)
        (key.asksForTrust, key.isStream) = (true, true)
        let target = ConnectionTarget(key, for: url)
        let loop = engine.loops[engine.takeLoop()]
        do {
            // Added at once: the peer may send first.
            let (setup, handler) = try await engine.connector.openStream(to: target, on: loop).flatMapThrowing {
                setup in
                let handler = StreamHandler(ended: ended)
                try setup.value.add([handler])
                return (setup, NIOLoopBound(handler, eventLoop: loop))
            }.get()
            return StreamConnection(url, engine.connector, setup, handler, loop)
        } catch {
            throw ClientFailure.transferError(error, url: url, proxy: key.proxy, phase: .beforeHead, wasAsked: false)
        }
    }

    // MARK: Bytes

    /// Reads bytes. A canceled Swift task ends the read with `canceled`; what has arrived stays for the next read.
    package func read(_ read: StreamRead) async throws(ServiceError) -> StreamPart {
        let answer = loop.makePromise(of: StreamPart.self)
        let bound = handler
        do {
            return try await withTaskCancellationHandler {
                loop.execute { bound.value.read(read, answer) }
                return try await answer.futureResult.get()
            } onCancel: {
                loop.execute { bound.value.stopReading(ServiceError(.canceled, "The read was canceled.")) }
            }
        } catch {
            throw failure(error)
        }
    }

    /// Writes bytes. Returns when the system has taken all of them.
    package func write(_ data: Data) async throws(ServiceError) {
        let bound = setup
        do {
            try await loop.flatSubmit { [loop] () -> EventLoopFuture<Void> in
                guard let channel = bound.value.channel else {
                    return loop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }
                return channel.writeAndFlush(channel.allocator.buffer(bytes: data))
            }.get()
        } catch {
            throw failure(error)
        }
    }

    /// Closes the sending side. The peer sees the end of the stream.
    package func closeWrite() async {
        let bound = setup
        try? await loop.flatSubmit { [loop] () -> EventLoopFuture<Void> in
            bound.value.channel?.close(mode: .output) ?? loop.makeSucceededVoidFuture()
        }.get()
    }

    package func close() {
        let bound = setup
        loop.execute { bound.value.close() }
    }

    // MARK: TLS

    /// Performs a TLS handshake as the client. No read or write may be called until it has returned.
    ///
    /// - Parameter decide: Returns the client's answer about the server's certificates.
    /// - Throws: The error of the handshake or of the certificates. The connection is then closed.
    package func secure(
        _ decide: @Sendable (TrustChallenge) async -> TrustAnswer
    ) async throws(ServiceError) {
        let (setup, handler) = (setup, handler)
        do {
            let shown = try await loop.flatSubmit { [connector, loop] () -> EventLoopFuture<ShownCertificates?> in
                // Bytes that came before the handshake may be an attacker's, and would pass for the server's.
                guard handler.value.isDrained, let channel = setup.value.channel else {
                    return loop.makeFailedFuture(StreamFault.unreadBytes)
                }
                return channel.pipeline.syncOperations.removeHandler(handler.value).flatMap {
                    connector.secure(setup.value)
                }.flatMapThrowing {
                    // The handler keeps what the peer sends from now on, up to its limit.
                    try setup.value.add([handler.value])
                    return setup.value.facts.shown
                }
            }.get()
            if let shown, let refusal = await refusal(of: shown, decide) { throw refusal }
        } catch {
            close()
            throw failure(error)
        }
    }

    private func refusal(
        of shown: ShownCertificates, _ decide: @Sendable (TrustChallenge) async -> TrustAnswer
    ) async -> ServiceError? {
        let fault = shown.fault?.transferError(of: url.host, url: url)
        let challenge = TrustChallenge(host: url.host, port: url.port, certificates: shown.chain, fault: fault)
        return await decide(challenge).refusal(of: url, fault)
    }

    private func failure(_ error: any Error) -> ServiceError {
        if error is StreamFault {
            return ServiceError(
                .tlsFailed, "\(url.host) sent bytes that were not read before TLS was to start.",
                details: ErrorDetails(url: url.redacted))
        }
        return ClientFailure.transferError(error, url: url, phase: .body)
    }

    private enum StreamFault: Error { case unreadBytes }
}
