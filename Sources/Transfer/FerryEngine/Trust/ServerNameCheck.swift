import FerryCore
import FerryRules
import NIOCore
import NIOSSL

/// Checks the certificate of a connection with TLS set up by the HTTP client, before a request is sent on it.
struct ServerNameCheck: Hashable, Sendable {
    /// The host of the connection's URLs, as written in them. Never that of a proxy, and never a resolved address.
    let host: String

    /// Checks the connection's certificate. Call it on the event loop, after the handshake.
    ///
    /// - Throws: ``CertificateFault``, or NIO's error if the connection has no certificate.
    func check(_ connection: any Channel) throws {
        let handler = try connection.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
        guard let leaf = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let identity = ServerIdentity(of: leaf)
        guard identity.matches(host) else { throw CertificateFault.otherHost(identity) }
    }

    /// Holds back the request of an HTTP/2 stream if the certificate is for another host.
    ///
    /// Never fails: the HTTP client terminates the process if a stream fails before its request.
    func check(stream: any Channel) {
        do {
            guard let connection = stream.parent else { throw ChannelError.ioOnClosedChannel }
            try check(connection)
        } catch {
            stream.addFirst(RequestRefuser(error))
        }
    }
}

extension Channel {
    /// Adds a handler to an HTTP/2 stream, next to its connection.
    ///
    /// If adding fails, the stream has ended. Its connection is then closed, and nothing is sent.
    func addFirst(_ handler: any ChannelHandler) {
        do { try pipeline.syncOperations.addHandler(handler, position: .first) } catch { parent?.close(promise: nil) }
    }
}

/// Fails the request of one HTTP/2 stream instead of sending it, and closes the connection.
private final class RequestRefuser: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private let error: any Error
    private var promises: [EventLoopPromise<Void>] = []
    private var isRefusing = false

    init(_ error: any Error) { self.error = error }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { promises.append(promise) }
        guard !isRefusing else { return }
        isRefusing = true
        // Not during the client's own write.
        context.eventLoop.assumeIsolated().execute {
            let connection = context.channel.parent
            context.fireErrorCaught(self.error)
            self.drop()
            connection?.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { drop() }

    private func drop() {
        let dropped = promises
        promises = []
        for promise in dropped { promise.fail(error) }
    }
}

extension ServerIdentity {
    /// Reads the alternative names of a certificate.
    init(of certificate: NIOSSLCertificate) {
        var names: [String] = []
        var addresses: [[UInt8]] = []
        for name in certificate._subjectAlternativeNames() {
            switch name.nameType {
            case .dnsName: names.append(String(decoding: name.contents, as: UTF8.self))
            case .ipAddress: addresses.append(Array(name.contents))
            default: break
            }
        }
        self.init(names: names, addresses: addresses)
    }
}
