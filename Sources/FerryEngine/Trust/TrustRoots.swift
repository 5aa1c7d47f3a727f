import FerryCore
import Foundation
import NIOSSL
import Synchronization

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

/// The certificates by which servers are verified, as they were read.
struct Authorities: Sendable {
    /// A folder of hashed certificates, in which the TLS library looks for those that it needs. It can do so in one.
    private var folder: String?
    var lists: [[NIOSSLCertificate]] = []

    var isEmpty: Bool { folder == nil && lists.isEmpty }

    /// Adds a folder of hashed certificates; those of a second one are read at once.
    mutating func add(folder path: String) {
        if folder == nil { folder = path } else { lists.append(Self.certificates(in: path)) }
    }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.trustRoots = folder.map { .file($0) } ?? .certificates([])
        configuration.additionalTrustRoots = lists.map { .certificates($0) }
    }

    /// The certificates that lie under their hashes, as the library finds them.
    private static func certificates(in folder: String) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(isHashed).sorted().flatMap { name in
            (try? NIOSSLCertificate.fromPEMFile("\(folder)/\(name)")) ?? []
        }
    }

    /// Whether a name is eight hexadecimal digits, a full stop and a number, as `openssl rehash` makes them.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8
            && parts[0].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            && UInt16(String(Substring(parts[1]))) != nil
    }
}
