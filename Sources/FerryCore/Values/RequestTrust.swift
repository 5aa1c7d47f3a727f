// Ferry: FerryCore
// Whom a request trusts, and what it shows of itself.

/// Whom a request trusts in TLS, and the certificate that it shows to a server that asks for one; all of them files.
package struct RequestTrust: Hashable, Codable, Sendable {
    /// Absolute path of a PEM file, or of a folder of hashed certificates, in place of the system's roots.
    package var authorities: String?
    /// Absolute path of the PEM file of the client's certificate, with the certificates between it and its authority.
    package var certificate: String?
    /// Absolute path of the PEM file of its private key; absent: the key is in the certificate's file.
    package var key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    /// Reads `SSL_CERT_FILE` and `SSL_CERT_DIR`, as OpenSSL has them.
    package init(variables: [String: String], currentFolder: String) {
        authorities = [variables["SSL_CERT_FILE"], variables["SSL_CERT_DIR"]].compactMap(\.self).first { !$0.isEmpty }
            .map { $0.hasPrefix("/") ? $0 : currentFolder + "/" + $0 }
    }

    /// Whether the system's roots are trusted and no certificate is shown.
    package var isUsual: Bool { self == RequestTrust() }

    /// The same trust towards another origin than the request's own: a client's certificate says who the user is, as
    /// credentials do.
    package var foreign: RequestTrust { RequestTrust(authorities: authorities) }

    /// - Throws: ``TransferError`` with code `invalid_request` for what cannot be the path of a file, and for a key alone.
    package func check() throws(TransferError) {
        for path in [authorities, certificate, key] {
            guard let path else { continue }
            guard path.hasPrefix("/"), !path.utf8.contains(0) else {
                throw TransferError(.invalidRequest, "“\(path.escapingControls)” is not the absolute path of a file.")
            }
        }
        guard key == nil || certificate != nil else {
            throw TransferError(.invalidRequest, "A client's key comes with its certificate.")
        }
    }
}
