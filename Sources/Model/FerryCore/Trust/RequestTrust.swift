/// The trusted authorities of a request, and its client certificate, all given as files.
package struct RequestTrust: Hashable, Sendable {
    /// Absolute paths of PEM files and of hashed certificate folders, instead of the system's roots. Empty uses those.
    ///
    /// Of several paths, the existing ones count. It is an error if none exists.
    package var authorities: [String]
    /// Absolute path of the PEM file with the client certificate and intermediate certificates.
    package var certificate: String?
    /// Absolute path of the PEM file with its private key. Nil if the key is in the certificate's file.
    package var key: String?

    package init(authorities: [String], certificate: String? = nil, key: String? = nil) {
        self.authorities = authorities
        self.certificate = certificate
        self.key = key
    }

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        self.init(authorities: authorities.map { [$0] } ?? [], certificate: certificate, key: key)
    }

    /// Reads `SSL_CERT_FILE` and `SSL_CERT_DIR`, as OpenSSL does: a file, and folders separated by colons.
    package init(variables: [String: String], currentFolder: String) {
        let file = [variables["SSL_CERT_FILE"] ?? ""].filter { !$0.isEmpty }
        let folders = (variables["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)
        self.init(
            authorities: (file.isEmpty ? folders : file).map {
                $0.isAbsolutePath || currentFolder.isEmpty ? $0 : currentFolder.appendingPathPart($0)
            })
    }

    /// Whether the system's roots are used without a client certificate.
    package var isUsual: Bool { self == RequestTrust() }

    /// The trust for another origin than the request's own: without the client certificate, which identifies the user
    /// as credentials do.
    package var foreign: RequestTrust { RequestTrust(authorities: authorities) }

    /// - Throws: ``ServiceError`` with code `invalid_request` for an invalid path, and for a key without a certificate.
    package func check() throws(ServiceError) {
        for path in authorities + [certificate, key].compactMap(\.self) {
            guard path.isAbsolutePath, !path.utf8.contains(0) else {
                throw ServiceError(.invalidRequest, "“\(path.escapingControls)” is not the absolute path of a file.")
            }
        }
        guard authorities.count <= Self.mostAuthorities else {
            throw ServiceError(
                .invalidRequest, "A request names at most \(Self.mostAuthorities) files or folders of authorities.")
        }
        guard key == nil || certificate != nil else {
            throw ServiceError(.invalidRequest, "A client's key comes with its certificate.")
        }
    }

    private static let mostAuthorities = 32
}

extension RequestTrust: Codable {
    private enum CodingKeys: String, CodingKey { case authorities, certificate, key }

    /// Decodes `authorities` from a path or an array of paths.
    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let one = try? box.decodeIfPresent(String.self, forKey: .authorities) {
            authorities = [one]
        } else {
            authorities = try box.decodeIfPresent([String].self, forKey: .authorities) ?? []
        }
        certificate = try box.decodeIfPresent(String.self, forKey: .certificate)
        key = try box.decodeIfPresent(String.self, forKey: .key)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        if authorities.count == 1 {
            try box.encode(authorities[0], forKey: .authorities)
        } else if !authorities.isEmpty {
            try box.encode(authorities, forKey: .authorities)
        }
        try box.encodeIfPresent(certificate, forKey: .certificate)
        try box.encodeIfPresent(key, forKey: .key)
    }
}

/// The TLS versions that a request may require.
package enum TLSVersion: String, CaseIterable, Codable, Comparable, Sendable {
    case v1_0 = "1.0"
    case v1_1 = "1.1"
    case v1_2 = "1.2"
    case v1_3 = "1.3"

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// The locations of the system's trusted certificates.
package enum SystemRoots {
    /// Whether this system keeps them in files.
    package static var areInFiles: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    /// Bundles of all certificates. The first existing one is used.
    package static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    /// The folder with one file per certificate.
    package static let folder = "/etc/ssl/certs"

    /// Environment variables that replace them, as in OpenSSL.
    package static let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
}
