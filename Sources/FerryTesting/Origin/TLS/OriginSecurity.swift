// Ferry: FerryTesting
// The TLS side of an origin's connections.

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
