// Ferry: FerryEngine
// The files of requests' trust, read and checked.

#if os(Linux)
    import FerryCore
    import Foundation
    import NIOSSL
    import Synchronization

    /// Reads the files that requests name for TLS; each content once. Blocks while the disk does.
    final class TrustFiles: Sendable {
        private let known = Mutex<[TrustMaterial: TrustMaterial]>([:])

        /// The most that are remembered: one that is read again costs some milliseconds.
        private static let mostKnown = 16
        /// Larger than any bundle of authorities, and small enough for memory.
        private static let largestFile: Int64 = 16 << 20

        /// - Throws: ``TransferError`` with code `invalid_request` that names the file which cannot be used.
        func read(_ trust: RequestTrust) throws(TransferError) -> TrustMaterial {
            var versions: [FileVersion?] = []
            var missing: TransferError?
            for path in trust.authorities {
                do throws(TransferError) {
                    versions.append(try Self.look(path, isFolderAllowed: true).version)
                } catch {
                    versions.append(nil)
                    missing = missing ?? error
                }
            }
            // `SSL_CERT_DIR` often names the folders of several systems, of which one is there.
            if let missing, versions.allSatisfy({ $0 == nil }) { throw missing }
            for path in [trust.certificate, trust.key] {
                if let path { versions.append(try Self.look(path, isFolderAllowed: false).version) }
            }
            let wanted = TrustMaterial(trust, versions: versions)
            if let material = known.withLock({ $0[wanted] }) { return material }
            for (path, version) in zip(trust.authorities, versions) where version != nil {
                try Self.checkAuthorities(path)
            }
            let material = try Self.withCertificate(trust, versions)
            known.withLock { known in
                if known.count >= Self.mostKnown { known = [:] }
                known[material] = material
            }
            return material
        }

        private static func checkAuthorities(_ path: String) throws(TransferError) {
            // The certificates of a folder are looked up by their names while servers are verified.
            if try look(path, isFolderAllowed: true).isFolder { return }
            _ = try certificates(path)
        }

        private static func withCertificate(
            _ trust: RequestTrust, _ versions: [FileVersion?]
        ) throws(TransferError) -> TrustMaterial {
            guard let path = trust.certificate else { return TrustMaterial(trust, versions: versions) }
            let chain = try certificates(path)
            let keyPath = trust.key ?? path
            let bytes = try contents(keyPath)
            let key: NIOSSLPrivateKey
            do { key = try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
                throw refusal(keyPath, "holds no private key in PEM form that can be read without a passphrase")
            }
            let material = TrustMaterial(trust, versions: versions, chain: chain, key: key)
            var configuration = TLSConfiguration.makeClientConfiguration()
            material.apply(to: &configuration)
            // The roots are not what is looked at.
            configuration.certificateVerification = .none
            do { _ = try NIOSSLContext(configuration: configuration) } catch {
                throw refusal(keyPath, "is not the private key of \(path.escapingControls)")
            }
            return material
        }

        private static func certificates(_ path: String) throws(TransferError) -> [NIOSSLCertificate] {
            let bytes = try contents(path)
            let found = try? NIOSSLCertificate.fromPEMBytes(bytes)
            guard let found, !found.isEmpty else { throw refusal(path, "holds no certificate in PEM form") }
            return found
        }

        private static func contents(_ path: String) throws(TransferError) -> [UInt8] {
            _ = try look(path, isFolderAllowed: false)
            do { return Array(try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
                throw refusal(path, "cannot be read")
            }
        }

        private static func look(
            _ path: String, isFolderAllowed: Bool
        ) throws(TransferError) -> (version: FileVersion, isFolder: Bool) {
            // Not to wait for the writer of a pipe.
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
            guard file >= 0 else { throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))") }
            defer { close(file) }
            var facts = stat()
            guard unsafe fstat(file, &facts) == 0 else {
                throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))")
            }
            let isFolder = facts.st_mode & S_IFMT == S_IFDIR
            guard facts.st_mode & S_IFMT == S_IFREG || isFolder && isFolderAllowed else {
                throw refusal(path, "is not a regular file")
            }
            guard isFolder || Int64(facts.st_size) <= largestFile else { throw refusal(path, "is too large") }
            return (FileVersion(facts), isFolder)
        }

        private static func refusal(_ path: String, _ reason: String) -> TransferError {
            TransferError(.invalidRequest, "The file \(path.escapingControls), which TLS needs, \(reason).")
        }
    }
#endif
