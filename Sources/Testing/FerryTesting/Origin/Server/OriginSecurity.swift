import NIOCore
import NIOSSL

/// Creates the TLS handlers of an origin, or one that aborts the handshake.
struct OriginSecurity: Sendable {
    private let context: NIOSSLContext
    private let cutsHandshake: Bool

    init(_ fault: TLSFault, _ certificates: TestCertificates) throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.certificateFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.keyFile, format: .pem)))
        configuration.applicationProtocols = ["http/1.1"]
        if fault == .oldProtocol { configuration.maximumTLSVersion = .tlsv11 }
        if fault == .withoutTLS13 { configuration.maximumTLSVersion = .tlsv12 }
        if fault == .asksForCertificate {
            configuration.trustRoots = .file(certificates.caFile)
            configuration.certificateVerification = .noHostnameVerification
        }
        if fault == .strictName {
            configuration.sslContextCallback = { client, answer in
                if client.serverHostname?.hasSuffix(".") == true {
                    answer.fail(TestingError("the name ends with a full stop"))
                } else {
                    answer.succeed(.noChanges)
                }
            }
        }
        context = try NIOSSLContext(configuration: configuration)
        cutsHandshake = fault == .handshakeCut
    }

    func handlers() -> [any ChannelHandler] {
        cutsHandshake ? [HandshakeCutter()] : [NIOSSLServerHandler(context: context)]
    }
}

/// Closes a connection at its first bytes.
private final class HandshakeCutter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.close(promise: nil)
    }
}

/// The behavior of an origin in the TLS handshake.
package enum TLSFault: String, Hashable, Sendable, CaseIterable {
    /// No fault: a certificate for localhost, example.org and 127.0.0.1, issued by the authority in `caFile`.
    case trusted
    /// Like `trusted`, but clients must present a certificate of the same authority, such as `clientFile` with
    /// `clientKeyFile`.
    case asksForCertificate
    /// Like `trusted`, but the handshake fails if the client's server name ends with a full stop (RFC 6066 §3).
    case strictName
    case selfSigned
    case expired
    /// A certificate for another host.
    case otherHost
    /// A certificate for another address, 127.0.0.2.
    case otherAddress
    /// A certificate that names localhost only in its subject.
    case noNames
    /// A certificate for client authentication only.
    case clientOnlyPurpose
    /// TLS 1.1 at most.
    case oldProtocol
    /// TLS 1.2 at most.
    case withoutTLS13
    /// The connection closes after the client's first bytes.
    case handshakeCut
}
