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
        let version: FileVersion
        let certificates: [NIOSSLCertificate]
    }

    /// Where systems keep all roots in one file, and where in a folder with a file for each.
    private static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]
    private static let folder = "/etc/ssl/certs"

    private static let mostFiles = 16

    private let entries = Mutex<[String: Entry]>([:])

    /// Lets a configuration trust files and folders; without any, what the system trusts.
    ///
    /// What cannot be read is left to the TLS library, which says why, unless something else of several can be.
    func apply(_ paths: [String], to configuration: inout TLSConfiguration) {
        guard let first = paths.first else { return applySystem(to: &configuration) }
        var lists = paths.compactMap(certificates(of:))
        // The library looks up certificates in one folder by their names; those of further folders are read.
        let folders = paths.filter { FileVersion(at: $0, kind: S_IFDIR) != nil }
        for folder in folders.dropFirst() { lists.append(certificates(in: folder)) }
        configuration.trustRoots = .file(folders.first ?? first)
        if folders.isEmpty, let list = lists.first { configuration.trustRoots = .certificates(list) }
        configuration.additionalTrustRoots = lists.map { .certificates($0) }
    }

    /// What tells whether files and folders, or without any those of the system, have changed.
    func versions(of paths: [String]) -> [FileVersion?] {
        (paths.isEmpty ? Self.files + [Self.folder] : paths).map {
            FileVersion(at: $0, kind: S_IFREG) ?? FileVersion(at: $0, kind: S_IFDIR)
        }
    }

    private func applySystem(to configuration: inout TLSConfiguration) {
        guard let system = Self.files.lazy.compactMap({ self.certificates(of: $0) }).first else { return }
        if FileManager.default.fileExists(atPath: Self.folder) {
            configuration.trustRoots = .file(Self.folder)
            configuration.additionalTrustRoots = [.certificates(system)]
        } else {
            configuration.trustRoots = .certificates(system)
        }
    }

    /// The certificates in a file; nil if it is none, or has none that can be read.
    private func certificates(of file: String) -> [NIOSSLCertificate]? {
        guard let version = FileVersion(at: file, kind: S_IFREG) else { return nil }
        let known = known(file, version) { try? NIOSSLCertificate.fromPEMFile(file) }
        return known.isEmpty ? nil : known
    }

    /// The certificates in a folder that lie under their hashes, as the library finds them.
    private func certificates(in folder: String) -> [NIOSSLCertificate] {
        guard let version = FileVersion(at: folder, kind: S_IFDIR) else { return [] }
        return known(folder, version) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter(Self.isHashed).sorted().flatMap { name in
                (try? NIOSSLCertificate.fromPEMFile("\(folder)/\(name)")) ?? []
            }
        }
    }

    /// Whether a name is eight hexadecimal digits, a full stop and a number, as `openssl rehash` makes them.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8
            && parts[0].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            && UInt16(String(Substring(parts[1]))) != nil
    }

    private func known(
        _ path: String, _ version: FileVersion, _ read: () -> [NIOSSLCertificate]?
    ) -> [NIOSSLCertificate] {
        if let known = entries.withLock({ $0[path] }), known.version == version { return known.certificates }
        guard let certificates = read(), !certificates.isEmpty else { return [] }
        entries.withLock { entries in
            // Requests may name any number of files.
            if entries.count >= Self.mostFiles { entries = [:] }
            entries[path] = Entry(version: version, certificates: certificates)
        }
        return certificates
    }
}
