import FerryCore
import NIOCore
import NIOSSL

/// Judges the certificate of a connection whose TLS the HTTP client has set up, before a request is sent on it.
struct ServerNameCheck: Hashable, Sendable {
    /// The host of the URLs that the connection serves, as they write it: never that of a proxy, never an address looked up.
    let host: String

    /// On the connection's event loop, after its handshake.
    ///
    /// - Throws: ``CertificateFault``; an error of NIO's if the connection has no certificate.
    func check(_ connection: any Channel) throws {
        let handler = try connection.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
        guard let leaf = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let identity = ServerIdentity(of: leaf)
        guard identity.matches(host) else { throw CertificateFault.otherHost(identity) }
    }

    /// Keeps the request of a stream of HTTP/2 back where the certificate is for another host.
    ///
    /// Never fails: the HTTP client cannot do with a stream that fails before its request, and ends the process.
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
    /// Adds a handler to a stream of HTTP/2, next to its connection.
    ///
    /// A stream that takes no handler has ended. Then its connection is closed as well, and nothing is sent.
    func addFirst(_ handler: any ChannelHandler) {
        do { try pipeline.syncOperations.addHandler(handler, position: .first) } catch { parent?.close(promise: nil) }
    }
}

/// Fails the request of one stream of HTTP/2 in place of sending it, and closes the connection.
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
        // Not in the middle of the client's own write.
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
    /// The alternative names of a certificate.
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
