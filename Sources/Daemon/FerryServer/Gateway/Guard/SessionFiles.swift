import FerryCore
import FerryFoundation
import Foundation
import Glibc
import NIOPosix

/// Writes the session files of aria2's clients. They replace no other file.
struct SessionFiles: Sendable {
    /// The first line, a comment in aria2's input files. Only a file that begins with it is replaced.
    static let mark = "# aria2 session written by Ferry"

    private let links = FolderLinks()

    /// - Parameter path: Absolute path in an allowed folder.
    /// - Throws: ``ServiceError`` with code `invalid_request` outside the allowed folders, `destination_exists` for a
    ///   file that is not a session file, and `destination_unwritable`.
    func write(_ text: String, to path: String, allowed: AllowedFolders) async throws(ServiceError) {
        let folder = path.folderPart
        if let found = await links.outside([folder], allowed) {
            throw allowed.refusal(of: found.folder, real: found.real)
        }
        let result = try? await NIOThreadPool.singleton.runIfActive {
            Result { () throws(ServiceError) in try Self.write(Data((Self.mark + "\n" + text).utf8), path) }
        }
        guard let result else { throw ServiceError(.daemonUnreachable, "The daemon is stopping.") }
        try result.get()
    }

    private static func write(_ bytes: Data, _ path: String) throws(ServiceError) {
        let parent = path.folderPart.withPath { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard parent >= 0 else { throw failure(path) }
        defer { close(parent) }
        let name = path.lastPathPart
        guard isFree(name, in: parent) else {
            throw ServiceError(
                .destinationExists, "\(path.escapingControls) is not a session file of Ferry, and is not replaced.")
        }
        let new = ".\(name).ferry-new"
        _ = new.withPath { unsafe unlinkat(parent, $0, 0) }
        let file = new.withPath {
            unsafe openat(parent, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        do { try FileHandle(fileDescriptor: file, closeOnDealloc: false).write(contentsOf: bytes) } catch {
            throw failure(path)
        }
        guard syncIfOffered(file), new.withPaths(name, { unsafe renameat(parent, $0, parent, $1) }) == 0,
            syncIfOffered(parent)
        else {
            throw failure(path)
        }
    }

    /// Whether there is no file of this name, or a session file.
    private static func isFree(_ name: String, in folder: CInt) -> Bool {
        let file = name.withPath { unsafe openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard file >= 0 else { return errno == ENOENT }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        let start = try? FileHandle(fileDescriptor: file, closeOnDealloc: false).read(upToCount: mark.utf8.count)
        return start == Data(mark.utf8)
    }

    private static func failure(_ path: String) -> ServiceError {
        let number = errno
        return ServiceError(
            number == ENOSPC || number == EDQUOT ? .diskFull : .destinationUnwritable,
            "\(path.escapingControls) cannot be written: \(unsafe String(cString: strerror(number))).",
            details: ErrorDetails(errno: number))
    }
}
