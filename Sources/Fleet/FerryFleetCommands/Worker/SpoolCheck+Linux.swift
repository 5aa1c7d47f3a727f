import FerryCommands
import FerryCore
import FerryFoundation
import FerrySystem
import Glibc

/// Whether the disk of the spool takes files.
struct SpoolCheck: Sendable {
    /// A folder on that disk.
    let folder: String
    /// Free bytes that it must have.
    let room: Int64

    /// Why it takes none, or `nil`.
    var problem: String? {
        // If the free space is unknown, the worker goes on.
        let free = DiskRoom(at: folder)?.bytes ?? .max
        guard free >= room else {
            return "The spool's disk has \(ByteText.of(free)) free, less than spool_room (\(ByteText.of(room)))."
        }
        let path = folder + "/fleet-check-\(getpid())"
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return Self.sentence(folder, errno) }
        var byte: UInt8 = 0
        let isWritten = unsafe write(file, &byte, 1) == 1 && fdatasync(file) == 0
        let code = errno
        close(file)
        unsafe unlink(path)
        return isWritten ? nil : Self.sentence(folder, code)
    }

    private static func sentence(_ folder: String, _ code: Int32) -> String {
        "The spool's disk at \(folder.escapingControls) cannot be written: \(unsafe String(cString: strerror(code)))."
    }
}
