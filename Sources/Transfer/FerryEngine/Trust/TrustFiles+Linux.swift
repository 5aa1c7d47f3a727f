#if os(Linux)
    import FerryCore
    import FerryFoundation
    import Foundation
    import Glibc
    import NIOSSL
    import Synchronization

    /// Reads the TLS files named by requests, each version once. Blocks on the disk.
    final class TrustFiles: Sendable {
        private let known = Mutex<[TrustMaterial: TrustMaterial]>([:])

        /// Maximum number of cached entries. Reading one again costs some milliseconds.
        private static let mostKnown = 16
        /// Maximum file size in bytes: larger than any bundle of authorities, and small enough for memory.
        private static let largestFile: Int64 = 16 << 20

        /// - Throws: ``ServiceError`` with code `invalid_request` that names the unusable file.
        func read(_ trust: RequestTrust) throws(ServiceError) -> TrustMaterial {
            var versions: [FileVersion?] = []
            var missing: ServiceError?
            for path in trust.authorities {
                do throws(ServiceError) {
                    versions.append(try Self.inspect(path, isFolderAllowed: true).version)
                } catch {
                    versions.append(nil)
                    missing = missing ?? error
                }
            }
            // `SSL_CERT_DIR` often names the folders of several systems. Only one of them exists.
            if let missing, versions.allSatisfy({ $0 == nil }) { throw missing }
            for path in [trust.certificate, trust.key] {
                if let path { versions.append(try Self.inspect(path, isFolderAllowed: false).version) }
            }
            var wanted = TrustMaterial(trust, versions: versions)
            if let material = known.withLock({ $0[wanted] }) { return material }
            wanted.authorities = try Self.authorities(zip(trust.authorities, versions).filter { $1 != nil }.map(\.0))
            let material = try Self.withCertificate(wanted)
            known.withLock { known in
                if known.count >= Self.mostKnown { known = [:] }
                known[material] = material
            }
            return material
        }

        /// - Returns: `nil` for no paths, which stands for the system's roots.
        private static func authorities(_ paths: [String]) throws(ServiceError) -> Authorities? {
            guard !paths.isEmpty else { return nil }
            var lists: [[NIOSSLCertificate]] = []
            for path in paths {
                let isFolder = try inspect(path, isFolderAllowed: true).isFolder
                lists.append(try isFolder ? HashedFolder.certificates(in: path) : certificates(path))
            }
            return Authorities(lists)
        }

        private static func withCertificate(_ wanted: TrustMaterial) throws(ServiceError) -> TrustMaterial {
            guard let path = wanted.trust.certificate else { return wanted }
            var material = wanted
            material.chain = try certificates(path)
            let keyPath = wanted.trust.key ?? path
            let bytes = try contents(keyPath)
            do { material.key = try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
                throw refusal(keyPath, "holds no private key in PEM form that can be read without a passphrase")
            }
            var configuration = TLSConfiguration.makeClientConfiguration()
            material.show(in: &configuration)
            // This does not check the roots.
            configuration.certificateVerification = .none
            do { _ = try NIOSSLContext(configuration: configuration) } catch {
                throw refusal(keyPath, "is not the private key of \(path.escapingControls)")
            }
            return material
        }

        private static func certificates(_ path: String) throws(ServiceError) -> [NIOSSLCertificate] {
            let bytes = try contents(path)
            let found = try? NIOSSLCertificate.fromPEMBytes(bytes)
            guard let found, !found.isEmpty else { throw refusal(path, "holds no certificate in PEM form") }
            return found
        }

        private static func contents(_ path: String) throws(ServiceError) -> [UInt8] {
            let file = try open(path, isFolderAllowed: false).file
            defer { close(file) }
            do {
                return Array(try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data())
            } catch {
                throw refusal(path, "cannot be read")
            }
        }

        private static func inspect(
            _ path: String, isFolderAllowed: Bool
        ) throws(ServiceError) -> (version: FileVersion, isFolder: Bool) {
            let (file, facts) = try open(path, isFolderAllowed: isFolderAllowed)
            close(file)
            return (FileVersion(facts), facts.st_mode & S_IFMT == S_IFDIR)
        }

        private static func open(
            _ path: String, isFolderAllowed: Bool
        ) throws(ServiceError) -> (file: CInt, facts: stat) {
            // Do not wait for the writer of a pipe.
            let file = path.withPath { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
            guard file >= 0 else { throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))") }
            do throws(ServiceError) {
                var facts = stat()
                guard unsafe fstat(file, &facts) == 0 else {
                    throw refusal(path, "cannot be read: \(unsafe String(cString: strerror(errno)))")
                }
                let isFolder = facts.st_mode & S_IFMT == S_IFDIR
                guard facts.st_mode & S_IFMT == S_IFREG || isFolder && isFolderAllowed else {
                    throw refusal(path, "is not a regular file")
                }
                guard isFolder || Int64(facts.st_size) <= largestFile else { throw refusal(path, "is too large") }
                return (file, facts)
            } catch {
                close(file)
                throw error
            }
        }

        private static func refusal(_ path: String, _ reason: String) -> ServiceError {
            ServiceError(.invalidRequest, "The file \(path.escapingControls), which TLS needs, \(reason).")
        }
    }

    /// Identifies the version of a file without reading it.
    ///
    /// The modification time alone is not enough: copy programs and archivers restore it.
    struct FileVersion: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64
        let size: Int64
        /// Nanoseconds since 1970.
        let modified: Int64
        let changed: Int64

        init(_ facts: stat) {
            device = UInt64(facts.st_dev)
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            modified = Self.nanoseconds(facts.st_mtim)
            changed = Self.nanoseconds(facts.st_ctim)
        }

        /// Checks the file or folder at a path. The result is `nil` if there is none.
        ///
        /// - Parameter kind: `S_IFREG` or `S_IFDIR`. The result is `nil` for any other kind of file.
        init?(at path: String, kind: mode_t) {
            var facts = stat()
            guard path.withPath({ unsafe stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == kind else { return nil }
            self.init(facts)
        }

        private static func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
        }
    }
#endif
