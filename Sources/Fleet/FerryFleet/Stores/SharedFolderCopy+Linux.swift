import Crypto
import FerryCore
import FerryFoundation
import Glibc

/// Durable copies of files.
extension SharedFolder {
    /// Copies a file durably to a new file, and returns its inode and SHA-256.
    func copy(
        _ file: LocalFile, to name: String, of token: JobToken, _ progress: CopyProgress
    ) throws(DeliveryFailure) -> (inode: UInt64, sha256: String) {
        let source = uninterrupted { unsafe Glibc.open(file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard source >= 0 else { throw Self.failure(file.path, "read", errno) }
        defer { close(source) }
        // Not truncated: after a crash the final name may have the same file.
        unsafe unlinkat(descriptor, name, 0)
        let target = uninterrupted {
            unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        }
        guard target >= 0 else { throw Self.failure(path, "written", errno) }
        defer { close(target) }
        let sha256 = try copyBytes(from: source, to: target, file, progress)
        mark(target, token, sha256)
        var facts = stat()
        guard uninterrupted({ fdatasync(target) }) == 0, unsafe fstat(target, &facts) == 0 else {
            throw Self.failure(path, "written", errno)
        }
        return (UInt64(facts.st_ino), sha256)
    }

    /// Number of bytes after which a copy is synced.
    private static let syncInterval: Int64 = 64 << 20

    private func copyBytes(
        from source: Int32, to target: Int32, _ file: LocalFile, _ progress: CopyProgress
    ) throws(DeliveryFailure) -> String {
        var digest = SHA256()
        var (total, synced): (Int64, Int64) = (0, 0)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { unsafe buffer.deallocate() }
        while true {
            let count = uninterrupted { unsafe read(source, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw Self.failure(file.path, "read", errno) }
            if count == 0 { break }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            unsafe digest.update(bufferPointer: bytes)
            var written = 0
            while written < count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                let more = uninterrupted { unsafe write(target, rest.baseAddress, rest.count) }
                guard more >= 0 else { throw Self.failure(path, "written", errno) }
                written += more
            }
            total += Int64(count)
            // One sync of a large file would take minutes without any progress.
            if total - synced >= Self.syncInterval {
                guard uninterrupted({ fdatasync(target) }) == 0 else { throw Self.failure(path, "written", errno) }
                synced = total
            }
            progress.add(count)
            guard !progress.isStopped else {
                throw DeliveryFailure(ServiceError(.canceled, "The delivery was stopped."), isTemporary: true)
            }
        }
        guard total == file.size else {
            throw DeliveryFailure(
                ServiceError(.fileChanged, "\(file.path.escapingControls) has \(total) bytes instead of \(file.size)."),
                isTemporary: false)
        }
        return digest.finalize().hexDigits
    }

    /// Writes a few durable bytes and removes them, to see whether the store takes files.
    func tryWriting() throws(DeliveryFailure) {
        let name = JobRequest.reservedPrefix + "check-\(getpid())-\(UInt64.random(in: 0 ... .max)).part"
        let file = uninterrupted {
            unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard file >= 0 else { throw Self.failure(path, "written", errno) }
        let bytes = [UInt8](repeating: 0, count: 4096)
        let isWritten = uninterrupted { unsafe write(file, bytes, bytes.count) } == bytes.count && fdatasync(file) == 0
        let code = errno
        close(file)
        unsafe unlinkat(descriptor, name, 0)
        guard isWritten else { throw Self.failure(path, "written", code) }
    }
}
