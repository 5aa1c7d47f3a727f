// Ferry: FerryEngine
// Whom TLS trusts.

import FerryCore
import Foundation
import NIOSSL

/// Whom TLS trusts: the system's roots, or the file or folders that the environment names, as OpenSSL does.
package struct TrustRoots: Sendable {
    private let authorities: [String]
    private let certificates = RootCertificates()

    /// Reads `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    package init(environment: [String: String]) {
        let folder = FileManager.default.currentDirectoryPath
        authorities = RequestTrust(variables: environment, currentFolder: folder).authorities
    }

    /// Whether it is the system's roots.
    var isUsual: Bool { authorities.isEmpty }

    /// What tells whether the roots have changed: a daemon outlives many updates of the system's.
    var versions: [FileVersion?] { certificates.versions(of: authorities) }

    /// What verifies the chain of a server's certificate; whether it names the host is left to the caller.
    ///
    /// - Parameter material: a request's own trust, in place of this.
    func configuration(
        isInsecure: Bool, minimum: FerryCore.TLSVersion? = nil, maximum: FerryCore.TLSVersion? = nil,
        material: TrustMaterial? = nil
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = minimum?.library ?? .tlsv12
        configuration.maximumTLSVersion = maximum?.library
        if !isInsecure {
            let own = material?.authorities ?? certificates.authorities(of: material == nil ? authorities : [])
            own?.apply(to: &configuration)
        }
        material?.show(in: &configuration)
        // The name is judged by `ServerIdentity`. The library's own check also takes an address of the certificate that the
        // connection leads to, whatever name was asked, and behind a proxy that is the proxy's.
        configuration.certificateVerification = isInsecure ? .none : .noHostnameVerification
        return configuration
    }
}

extension FerryCore.TLSVersion {
    init(_ version: NIOSSL.TLSVersion) {
        self =
            switch version {
            case .tlsv1: .v1_0
            case .tlsv11: .v1_1
            case .tlsv12: .v1_2
            case .tlsv13: .v1_3
            }
    }

    fileprivate var library: NIOSSL.TLSVersion {
        switch self {
        case .v1_0: .tlsv1
        case .v1_1: .tlsv11
        case .v1_2: .tlsv12
        case .v1_3: .tlsv13
        }
    }
}
