import FerryCore
import FerryFoundation
import Glibc

/// The daemon's log. It must be a regular file.
///
/// Opening a named pipe may block, and a link would redirect the daemon's output.
enum LogFile {
    /// Opens the log for appending by a daemon, and creates it if necessary.
    ///
    /// - Throws: ``ServiceError`` with code `daemon_unreachable`, naming the obstacle.
    static func append(_ path: String) throws(ServiceError) -> CInt {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe Glibc.open(path, flags, 0o600)
        guard file >= 0, isRegular(file) else {
            let code = file < 0 ? errno : EINVAL
            if file >= 0 { close(file) }
            throw failed(path, code)
        }
        return file
    }

    /// Returns the last bytes of the log, or `nil` if it is missing or unreadable.
    static func end(of path: String, count: Int) -> [UInt8]? {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard isRegular(file) else { return nil }
        let size = lseek(file, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(file, &bytes, count, max(0, size - count))
        return size < 0 || read < 0 ? nil : Array(bytes[..<read])
    }

    private static func isRegular(_ file: CInt) -> Bool {
        var facts = stat()
        return unsafe fstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    private static func failed(_ path: String, _ code: CInt) -> ServiceError {
        // Errors for opening a link, a pipe without a reader, or anything else than a regular file.
        let isOther = [ELOOP, ENXIO, EISDIR, EINVAL].contains(code)
        let why =
            isOther
            ? "is not a regular file; move it away" : "cannot be opened: \(unsafe String(cString: strerror(code)))"
        return ServiceError(
            .daemonUnreachable, "The daemon cannot be started. The log \(path.escapingControls) \(why).",
            details: ErrorDetails(errno: code))
    }
}

/// The last part of a log file.
enum LogTail {
    /// Returns the last lines, or `nil` if the file is unreadable.
    static func lines(of path: String, count: Int) -> [String]? {
        LogFile.end(of: path, count: 8192).map { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(count).map(String.init)
        }
    }
}
