// Ferry: FerryEngine
// Certificates that are read once for all clients.

import Foundation
import NIOSSL
import Synchronization

/// The certificates of files, read once for all clients.
///
/// Each client has a TLS context of its own, and a context that reads a file of all roots itself costs a megabyte.
final class RootCertificates: Sendable {
    private struct Entry {
        let modified: Date
        let certificates: [NIOSSLCertificate]
    }

    /// Where systems keep all roots in one file, and where in a folder with a file for each.
    private static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    private static let folder = "/etc/ssl/certs"

    private static let mostFiles = 16

    private let entries = Mutex<[String: Entry]>([:])

    /// Lets a configuration trust a file or a folder; without one, what the system trusts.
    ///
    /// What cannot be read is left to the TLS library, which says why.
    func apply(_ path: String?, to configuration: inout TLSConfiguration) {
        if let path {
            configuration.trustRoots = .file(path)
            if let known = certificates(of: path) { configuration.trustRoots = .certificates(known) }
        } else if let system = Self.files.lazy.compactMap({ self.certificates(of: $0) }).first {
            if FileManager.default.fileExists(atPath: Self.folder) {
                configuration.trustRoots = .file(Self.folder)
                configuration.additionalTrustRoots = [.certificates(system)]
            } else {
                configuration.trustRoots = .certificates(system)
            }
        }
    }

    /// The certificates in a file; nil if it is none, or has none that can be read.
    private func certificates(of path: String) -> [NIOSSLCertificate]? {
        let file = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let facts = try? FileManager.default.attributesOfItem(atPath: file),
            facts[.type] as? FileAttributeType == .typeRegular, let modified = facts[.modificationDate] as? Date
        else { return nil }
        if let known = entries.withLock({ $0[file] }), known.modified == modified { return known.certificates }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else { return nil }
        entries.withLock { entries in
            // Requests may name any number of files.
            if entries.count >= Self.mostFiles { entries = [:] }
            entries[file] = Entry(modified: modified, certificates: certificates)
        }
        return certificates
    }
}
