import FerryCore
import FerryFoundation
import Glibc

/// A place that Ferry writes to, and why it cannot.
package struct Obstacle: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// The daemon's journal and log.
        case state
        /// The daemon's socket.
        case socket
        /// Files without `-d`.
        case downloads
    }

    package var purpose: Purpose
    /// The file or folder that cannot be written: the wanted one, or the nearest existing folder above it.
    package var path: String
    /// The system's error number.
    package var errorNumber: Int32
    /// The name or the number of the owner, if it is another user.
    package var owner: String?

    package init(_ purpose: Purpose, _ path: String, errorNumber: Int32, owner: String? = nil) {
        (self.purpose, self.path, self.errorNumber, self.owner) = (purpose, path, errorNumber, owner)
    }
}

/// Tries whether Ferry can write somewhere, and leaves nothing behind.
enum FolderTrial {
    /// Tries to write a file into a folder, or into the nearest existing one above it, in which it would be created.
    ///
    /// - Returns: Nil if it can.
    static func obstacle(_ purpose: Obstacle.Purpose, in folder: String) -> Obstacle? {
        var place = folder
        while place != "/" {
            var facts = stat()
            // A folder that may not be entered exists, although nothing below it can be looked at.
            guard place.withPath({ unsafe stat($0, &facts) }) != 0, [ENOENT, EACCES].contains(errno) else { break }
            place = place.folderPart.isEmpty ? "/" : place.folderPart
        }
        let code = errorOfWriting(into: place)
        return code == 0 ? nil : Obstacle(purpose, place, errorNumber: code, owner: owner(of: place))
    }

    /// Whether the user may write existing files of a folder.
    ///
    /// - Returns: The first that it may not, as after a command that was once run by root.
    static func obstacle(_ purpose: Obstacle.Purpose, files names: [String], in folder: String) -> Obstacle? {
        for name in names {
            let path = folder.appendingPathPart(name)
            guard path.withPath({ unsafe access($0, F_OK) }) == 0 else { continue }
            guard path.withPath({ unsafe access($0, W_OK | R_OK) }) != 0 else { continue }
            return Obstacle(purpose, path, errorNumber: errno, owner: owner(of: path))
        }
        return nil
    }

    /// The owner of a path, if it is another user.
    private static func owner(of path: String) -> String? {
        var facts = stat()
        guard path.withPath({ unsafe stat($0, &facts) }) == 0, facts.st_uid != geteuid() else { return nil }
        guard let entry = unsafe getpwuid(facts.st_uid) else { return "user \(facts.st_uid)" }
        return unsafe String(cString: entry.pointee.pw_name)
    }

    /// Writes a byte to a file without a name.
    private static func errorOfWriting(into folder: String) -> CInt {
        let file = folder.withPath { unsafe open($0, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0o600) }
        guard file >= 0 else {
            // File systems such as those of FUSE have no files without a name.
            guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL else { return errno }
            return folder.withPath { unsafe access($0, W_OK | X_OK) } == 0 ? 0 : errno
        }
        defer { close(file) }
        var byte: UInt8 = 0
        return unsafe write(file, &byte, 1) == 1 ? 0 : errno
    }

    // The C library's macro is not imported: __O_TMPFILE with O_DIRECTORY.
    private static let O_TMPFILE: CInt = 0o20_000_000 | O_DIRECTORY
}
