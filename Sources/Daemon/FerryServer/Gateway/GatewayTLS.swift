import FerryCore
import NIOSSL

/// TLS with the user's certificate and key.
enum GatewayTLS {
    /// - Throws: ``ServiceError`` with code `invalid_request` if the files are unreadable or do not belong together.
    static func context(certificate: String, key: String) throws(ServiceError) -> NIOSSLContext {
        let chain: [NIOSSLCertificateSource]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) } } catch {
            throw ServiceError(
                .invalidRequest, "The certificate \(certificate.escapingControls) cannot be read as PEM.")
        }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw ServiceError(.invalidRequest, "The private key \(key.escapingControls) cannot be read as PEM.")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw ServiceError(
                .invalidRequest,
                "The certificate \(certificate.escapingControls) and the key \(key.escapingControls) do not belong together."
            )
        }
    }
}
