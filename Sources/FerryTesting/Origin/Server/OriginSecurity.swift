import NIOCore
import NIOSSL

/// Makes the handlers that speak TLS for an origin, or break it off.
struct OriginSecurity: Sendable {
    private let context: NIOSSLContext
    private let cutsHandshake: Bool

    init(_ fault: TLSFault, _ certificates: TestCertificates) throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificates.certificateFile).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: certificates.keyFile, format: .pem)))
        configuration.applicationProtocols = ["http/1.1"]
        if fault == .oldProtocol { configuration.maximumTLSVersion = .tlsv11 }
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

/// Ends a connection at its first bytes.
private final class HandshakeCutter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.close(promise: nil)
    }
}

/// What an origin presents in the handshake.
package enum TLSFault: String, Hashable, Sendable, CaseIterable {
    /// No fault: a certificate for localhost, example.org and 127.0.0.1 by the authority in `caFile`.
    case trusted
    /// As `trusted`, but clients must show a certificate of the same authority, such as `clientFile` with `clientKeyFile`.
    case asksForCertificate
    /// As `trusted`, but the handshake fails where a client's name for the server ends with a full stop (RFC 6066 §3).
    case strictName
    case selfSigned
    case expired
    /// A certificate of the authority for another host.
    case otherHost
    /// A certificate of the authority for another address, 127.0.0.2.
    case otherAddress
    /// A certificate of the authority that names localhost in its subject alone.
    case noNames
    /// A certificate that may only authenticate clients.
    case clientOnlyPurpose
    /// TLS 1.1 at most.
    case oldProtocol
    /// The connection ends after the client's first bytes.
    case handshakeCut
}
