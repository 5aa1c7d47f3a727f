import FerryCore
import Foundation
import Glibc

/// The daemon's log: a regular file and nothing else that may have its name.
///
/// To open a named pipe may block, and a link would lead the daemon's output elsewhere.
enum LogFile {
    /// Opens the log for a daemon that writes at its end, and makes it if need be.
    ///
    /// - Throws: ``TransferError`` with code `daemon_unreachable`, naming what stands in the way.
    static func append(_ path: String) throws(TransferError) -> CInt {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = unsafe Glibc.open(path, flags, 0o600)
        guard file >= 0, isRegular(file) else {
            let code = file < 0 ? errno : EINVAL
            if file >= 0 { close(file) }
            throw failed(path, code)
        }
        return file
    }

    /// Opens the log to be read; nil if there is none.
    static func read(_ path: String) -> FileHandle? {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        guard isRegular(file) else {
            close(file)
            return nil
        }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    private static func isRegular(_ file: CInt) -> Bool {
        var facts = stat()
        return unsafe fstat(file, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    private static func failed(_ path: String, _ code: CInt) -> TransferError {
        // The errors of opening a link, a pipe without a reader, and other things that are no regular files.
        let isOther = [ELOOP, ENXIO, EISDIR, EINVAL].contains(code)
        let why =
            isOther ? "is no regular file; move it away" : "cannot be opened: \(unsafe String(cString: strerror(code)))"
        return TransferError(
            .daemonUnreachable, "The daemon cannot be started. The log \(path.escapingControls) \(why).",
            details: ErrorDetails(errno: code))
    }
}

/// The end of a log file.
enum LogTail {
    /// The last lines; nil if the file cannot be read.
    static func lines(of path: String, count: Int) -> [String]? {
        guard let file = LogFile.read(path) else { return nil }
        defer { try? file.close() }
        guard let end = try? file.seekToEnd() else { return nil }
        try? file.seek(toOffset: end > 8192 ? end - 8192 : 0)
        guard let data = try? file.readToEnd() else { return [] }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).suffix(count).map(String.init)
    }
}
