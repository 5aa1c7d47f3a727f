// Ferry: FerryEngine
// Whom TLS trusts.

import FerryCore
import Foundation
import NIOSSL

/// Whom TLS trusts: the system's roots, or the file or folder that the environment names, as OpenSSL does.
package struct TrustRoots: Sendable {
    private let file: String?

    /// Reads `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    package init(environment: [String: String]) {
        file = [environment["SSL_CERT_FILE"], environment["SSL_CERT_DIR"]].compactMap(\.self).first { !$0.isEmpty }
    }

    func configuration(isInsecure: Bool) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file { configuration.trustRoots = .file(file) }
        if isInsecure { configuration.certificateVerification = .none }
        return configuration
    }
}
