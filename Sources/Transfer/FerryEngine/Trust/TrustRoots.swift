import FerryCore
import FerryFoundation
import Foundation
import NIOSSL
import Synchronization

/// The trusted roots: the system's, or the file or folders named by the environment, as in OpenSSL.
package struct TrustRoots: Sendable {
    private let authorities: [String]
    private let certificates = RootCertificates()

    /// Reads `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    package init(environment: [String: String]) {
        let folder = ThisProcess.currentFolder ?? ""
        authorities = RequestTrust(variables: environment, currentFolder: folder).authorities
    }

    /// Whether these are the system's roots.
    var isUsual: Bool { authorities.isEmpty }

    /// Versions of the root files, to detect changes: a daemon outlives many updates of the system's roots.
    var versions: [FileVersion?] { certificates.versions(of: authorities) }

    /// Returns a configuration that verifies certificate chains. The caller checks the host name.
    ///
    /// - Parameter material: A request's own trust, in place of this one.
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
        // `ServerIdentity` checks the name. The library's own check would also accept a certificate for the connected
        // address, whatever host was requested. Behind a proxy that is the proxy's address.
        configuration.certificateVerification = isInsecure ? .none : .noHostnameVerification
        return configuration
    }
}

extension TLSConfiguration {
    /// The configuration of a client without TLS connections. If it opened one, the connection would fail.
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
/// Each client has its own TLS context, and a context that reads a file of all roots itself costs a megabyte.
final class RootCertificates: Sendable {
    private struct Entry {
        let versions: [FileVersion?]
        let certificates: [NIOSSLCertificate]
    }

    /// The cached contents of one path. Its lock is held while reading: another caller for the path would wait for the
    /// same disk anyway.
    private final class Slot: Sendable {
        let entry = Mutex<Entry?>(nil)
    }

    /// Slots by path. The system's roots have an empty path.
    private let slots = Mutex<[String: Slot]>([:])

    /// Returns the certificates of files and folders, or without paths the system's. `nil` leaves the roots to the TLS
    /// library. Blocks on the disk.
    func authorities(of paths: [String]) -> Authorities? {
        guard let first = paths.first else {
            let system = known("", versions(of: [])) { Self.system }
            return system.isEmpty && !SystemRoots.areInFiles ? nil : Authorities([system])
        }
        let lists = paths.compactMap(certificates(at:))
        return lists.isEmpty ? Authorities(missing: first) : Authorities(lists)
    }

    /// Returns the versions of files and folders, to detect changes. Without paths, returns those of the system's files
    /// and folder.
    func versions(of paths: [String]) -> [FileVersion?] {
        (paths.isEmpty ? SystemRoots.files + [SystemRoots.folder] : paths).map {
            FileVersion(at: $0, kind: S_IFREG) ?? FileVersion(at: $0, kind: S_IFDIR)
        }
    }

    /// Returns the certificates of a file or folder, or `nil` if it does not exist or is a file without a readable
    /// certificate.
    private func certificates(at path: String) -> [NIOSSLCertificate]? {
        if let folder = FileVersion(at: path, kind: S_IFDIR) {
            return known(path, [folder]) { HashedFolder.certificates(in: path) }
        }
        guard let file = FileVersion(at: path, kind: S_IFREG) else { return nil }
        let certificates = known(path, [file]) { (try? NIOSSLCertificate.fromPEMFile(path)) ?? [] }
        return certificates.isEmpty ? nil : certificates
    }

    /// The file of all roots, and the certificates that the administrator has added in its folder.
    private static var system: [NIOSSLCertificate] {
        let all =
            SystemRoots.files.lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first { !$0.isEmpty } ?? []
        let ofFile = Set(all)
        return all + HashedFolder.certificates(in: SystemRoots.folder).filter { !ofFile.contains($0) }
    }

    /// Whether the system has no authority in its files. Blocks on the disk.
    static var systemIsEmpty: Bool { SystemRoots.areInFiles && system.isEmpty }

    /// Returns the cached certificates if the files and folders still have these versions. Otherwise reads them.
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

/// The certificates for verifying servers, as read.
///
/// The TLS library gets the certificates themselves: given a folder, it would read its files on the event loop of the
/// handshake.
struct Authorities: Sendable {
    /// The certificates of each file and folder.
    var lists: [[NIOSSLCertificate]] = []
    /// A missing file or folder, if there is no other. The library reports it.
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

/// Folders of hashed certificates, as created by `openssl rehash`.
enum HashedFolder {
    /// Maximum file size in bytes: larger than any certificate with its usual comments.
    private static let largestFile: Int64 = 1 << 20

    /// Returns the certificates with hashed file names, as OpenSSL finds them. Blocks on the disk.
    static func certificates(in folder: String) -> [NIOSSLCertificate] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter(isHashed).sorted().flatMap { name -> [NIOSSLCertificate] in
            let path = "\(folder)/\(name)"
            guard let file = FileVersion(at: path, kind: S_IFREG), file.size <= largestFile else { return [] }
            return (try? NIOSSLCertificate.fromPEMFile(path)) ?? []
        }
    }

    /// Returns whether a name is eight hexadecimal digits, a full stop and a number.
    private static func isHashed(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].count == 8
            && parts[0].allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            && UInt16(String(Substring(parts[1]))) != nil
    }
}
