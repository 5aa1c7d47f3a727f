// Ferry: FerryEngine
// Certificates that are read once for all clients.

import Foundation
import NIOSSL
import Synchronization

/// The certificates of the engine's own roots, read once for all clients.
///
/// Each client has a TLS context of its own, and a context that reads a file of all roots itself costs a megabyte.
final class RootCertificates: Sendable {
    private struct Entry {
        let version: FileVersion
        let certificates: [NIOSSLCertificate]
    }

    /// Where systems keep all roots in one file, and where in a folder with a file for each.
    private static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    private static let folder = "/etc/ssl/certs"

    private let entries = Mutex<[String: Entry]>([:])

    /// What files and folders hold; without any, what the system trusts. Nil leaves it to the TLS library.
    func authorities(of paths: [String]) -> Authorities? {
        var authorities = Authorities()
        guard let first = paths.first else {
            guard let system = Self.files.lazy.compactMap({ self.certificates(of: $0) }).first else { return nil }
            if FileManager.default.fileExists(atPath: Self.folder) { authorities.add(folder: Self.folder) }
            authorities.lists.append(system)
            return authorities
        }
        for path in paths {
            if FileVersion(at: path, kind: S_IFDIR) != nil {
                authorities.add(folder: path)
            } else if let list = certificates(of: path) {
                authorities.lists.append(list)
            }
        }
        // The library says why what cannot be read cannot.
        if authorities.isEmpty { authorities.add(folder: first) }
        return authorities
    }

    /// What tells whether files and folders, or without any those of the system, have changed.
    func versions(of paths: [String]) -> [FileVersion?] {
        (paths.isEmpty ? Self.files + [Self.folder] : paths).map {
            FileVersion(at: $0, kind: S_IFREG) ?? FileVersion(at: $0, kind: S_IFDIR)
        }
    }

    /// The certificates in a file; nil if it is none, or has none that can be read.
    private func certificates(of file: String) -> [NIOSSLCertificate]? {
        guard let version = FileVersion(at: file, kind: S_IFREG) else { return nil }
        if let known = entries.withLock({ $0[file] }), known.version == version { return known.certificates }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(file), !certificates.isEmpty else { return nil }
        entries.withLock { $0[file] = Entry(version: version, certificates: certificates) }
        return certificates
    }
}
