// Ferry: FerryEngine
// Whether a connection's certificate names the host that was asked.

import FerryCore
import NIOCore
import NIOSSL

/// The certificate of a server whose chain is good is for other hosts than the one that was asked.
struct OtherHostCertificate: Error {
    let identity: ServerIdentity
}

/// Judges the certificate of a connection whose TLS the HTTP client has set up, before a request is sent on it.
struct ServerNameCheck: Hashable, Sendable {
    /// The host of the URLs that the connection serves, as they write it: never that of a proxy, never an address looked up.
    let host: String

    /// On the connection's event loop, after its handshake.
    ///
    /// - Throws: ``OtherHostCertificate``; an error of NIO's if the connection has no certificate.
    func check(_ connection: any Channel) throws {
        let handler = try connection.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
        guard let leaf = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let identity = ServerIdentity(of: leaf)
        guard identity.matches(host) else { throw OtherHostCertificate(identity: identity) }
    }

    /// Fails a stream of HTTP/2, and closes its connection, where the certificate is for another host.
    func check(stream: any Channel) throws {
        guard let connection = stream.parent else { throw ChannelError.ioOnClosedChannel }
        do {
            try check(connection)
        } catch {
            // Not before all streams that the client opens at once have failed by this error.
            connection.eventLoop.assumeIsolated().execute { connection.close(promise: nil) }
            throw error
        }
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
