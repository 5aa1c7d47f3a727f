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

extension TLSConfiguration {
    /// Of a client that makes no connection with TLS: one that it made all the same would fail.
    static var trustingNobody: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
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
        let versions: [FileVersion?]
        let certificates: [NIOSSLCertificate]
    }

    /// What was read of one path. Its lock is held while the path is read: another
    /// caller that wants the path would wait for the same disk.
    private final class Slot: Sendable {
        let entry = Mutex<Entry?>(nil)
    }

    /// By the paths; the system's roots have an empty path.
    private let slots = Mutex<[String: Slot]>([:])

    /// What files and folders hold; without any, what the system trusts. Nil leaves it to the TLS library. Blocks while the
    /// disk does.
    func authorities(of paths: [String]) -> Authorities? {
        guard let first = paths.first else {
            let system = known("", versions(of: [])) { Self.system }
            return system.isEmpty && !SystemRoots.areInFiles ? nil : Authorities([system])
        }
        let lists = paths.compactMap(certificates(at:))
        return lists.isEmpty ? Authorities(missing: first) : Authorities(lists)
    }

    /// The versions of files and folders, by which a change is noticed; without any, of the system's files and folder.
    func versions(of paths: [String]) -> [FileVersion?] {
        (paths.isEmpty ? SystemRoots.files + [SystemRoots.folder] : paths).map {
            FileVersion(at: $0, kind: S_IFREG) ?? FileVersion(at: $0, kind: S_IFDIR)
        }
    }

    /// The certificates of a file or a folder; nil if there is none, or a file without one that can be read.
    private func certificates(at path: String) -> [NIOSSLCertificate]? {
        if let folder = FileVersion(at: path, kind: S_IFDIR) {
            return known(path, [folder]) { HashedFolder.certificates(in: path) }
        }
        guard let file = FileVersion(at: path, kind: S_IFREG) else { return nil }
        let certificates = known(path, [file]) { (try? NIOSSLCertificate.fromPEMFile(path)) ?? [] }
        return certificates.isEmpty ? nil : certificates
    }

    /// The file of all roots, and what its user has put beside it.
    private static var system: [NIOSSLCertificate] {
        let all =
            SystemRoots.files.lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first { !$0.isEmpty } ?? []
        let ofFile = Set(all)
        return all + HashedFolder.certificates(in: SystemRoots.folder).filter { !ofFile.contains($0) }
    }

    /// Whether the system has no authority in its files. Blocks while the disk does.
    static var systemIsEmpty: Bool { SystemRoots.areInFiles && system.isEmpty }

    /// The certificates that were read before, if their files and folders still have these versions; else reads them.
    private func known(
        _ path: String, _ versions: [FileVersion?], read: () -> [NIOSSLCertificate]
    ) -> [NIOSSLCertificate] {
        let slot = slots.withLock { slots in
            if let slot = slots[path] { return slot }
            let slot = Slot()
            slots[path] = slot
            return slot
        }
        return slot.entry.withLock { entry in
            if let entry, entry.versions == versions { return entry.certificates }
            let certificates = read()
            entry = Entry(versions: versions, certificates: certificates)
            return certificates
        }
    }
}

/// The certificates by which servers are verified, as they were read.
///
/// The TLS library gets the certificates of files and folders all at once: given a folder, it would read the folder's files on
/// the event loop of the handshake.
struct Authorities: Sendable {
    /// The certificates of each file and folder.
    var lists: [[NIOSSLCertificate]] = []
    /// A file or folder that is not there, where nothing else is: the library says so.
    private var missing: String?

    init(_ lists: [[NIOSSLCertificate]] = [], missing: String? = nil) {
        self.lists = lists
        self.missing = missing
    }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.trustRoots = missing.map { .file($0) } ?? .certificates([])
        configuration.additionalTrustRoots = lists.map { .certificates($0) }
    }
}

/// Folders of hashed certificates, as `openssl rehash` makes them.
enum HashedFolder {
    /// Larger than any certificate with what people write beside it.
    private static let largestFile: Int64 = 1 << 20

    /// The certificates that lie under their hashes, as OpenSSL finds them. Blocks while the disk does.
    static func certificates(in folder: String) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(isHashed).sorted().flatMap { name -> [NIOSSLCertificate] in
            let path = "\(folder)/\(name)"
            guard let file = FileVersion(at: path, kind: S_IFREG), file.size <= largestFile else { return [] }
            return (try? NIOSSLCertificate.fromPEMFile(path)) ?? []
        }
    }

    /// Whether a name is eight hexadecimal digits, a full stop and a number.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8
            && parts[0].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            && UInt16(String(Substring(parts[1]))) != nil
    }
}
