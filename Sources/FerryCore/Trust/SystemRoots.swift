/// Where systems keep the certificates of the authorities that they trust.
package enum SystemRoots {
    /// Files that hold all of them; the first that exists counts.
    package static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    /// The folder that has a file for each.
    package static let folder = "/etc/ssl/certs"

    /// The variables of the environment that name others in their place, as OpenSSL reads them.
    package static let variables = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
}
