package import FerryCore
import Foundation

/// The system calls on files that the engine makes.
///
/// One implementation a platform, and one for tests that fails on command. All calls block; only `write` is called on an
/// event loop, and only on a loop that belongs to the file system.
package protocol DiskSystem: Sendable {
    /// The file system that a folder is on, or will be on once it is made; nil if that cannot be found out.
    func device(of path: String) -> UInt64?
    /// Opens a folder for finding files in it and for syncing it.
    func openFolder(_ path: String) throws(DiskError) -> OpenFile
    /// Makes a file that was not there, with mode 0600; never follows a link.
    func createFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile
    /// Opens a file for reading and writing; never follows a link.
    func openFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile
    func identity(of file: OpenFile) throws(DiskError) -> FileIdentity
    /// What a name stands for, links not followed; nil if there is nothing.
    func identity(of name: String, in folder: OpenFile) throws(DiskError) -> FileIdentity?
    /// Writes some of the bytes and returns how many.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(DiskError) -> Int
    /// Reads some bytes and returns how many; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int64) throws(DiskError)
        -> Int
    func truncate(_ file: OpenFile, to size: Int64) throws(DiskError)
    /// Whether bytes before a position were never written, as far as the file system tells.
    func hasHole(_ file: OpenFile, before position: Int64) -> Bool
    /// Reserves blocks without changing the length; false where the file system cannot.
    func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool
    /// Lets the disk begin with the file's bytes, so that several files are written at once; a hint that cannot fail.
    func startWriteback(_ file: OpenFile)
    /// Makes the file's bytes durable, and what is needed to find them.
    func syncData(_ file: OpenFile) throws(DiskError)
    /// Makes the file's bytes durable, and its times.
    func syncAll(_ file: OpenFile) throws(DiskError)
    /// Makes everything durable that was written to a folder's file system since the folder was opened.
    ///
    /// - Returns: false, with nothing promised, where the file system or the kernel does not promise that, or would not tell of
    ///   a write that has failed.
    func syncFileSystem(of folder: OpenFile) throws(DiskError) -> Bool
    /// Bytes in memory that wait to be written to any disk; nil where that is not known.
    func unwrittenBytes() -> Int64?
    /// Makes a folder's names durable.
    func syncFolder(_ folder: OpenFile) throws(DiskError)
    func setMode(_ mode: UInt32, of file: OpenFile) throws(DiskError)
    /// Sets the time of the last modification, in seconds since 1970.
    func setModificationTime(_ seconds: Int64, of file: OpenFile) throws(DiskError)
    /// Sets an extended attribute; false where the file system has none.
    func setAttribute(_ name: String, _ value: String, of file: OpenFile) throws(DiskError) -> Bool
    /// Gives a file its final name in the same folder or another of the same file system.
    ///
    /// - Returns: false if the name is taken and must not be replaced; then nothing has changed.
    func rename(
        _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replacing: Bool
    ) throws(DiskError) -> Bool
    func remove(_ name: String, in folder: OpenFile) throws(DiskError)
    /// Makes a folder and its missing parents with this mode, whatever the process's umask is. Where one of them cannot be made,
    /// the ones that were made are removed.
    func makeFolders(_ path: String, mode: UInt32) throws(DiskError)
    /// Whether this process may make files in the folder.
    func isWritable(_ folder: OpenFile) -> Bool
    /// Bytes that this user may still write to the folder's file system.
    func freeSpace(of folder: OpenFile) throws(DiskError) -> Int64
}

/// A system call on a file that failed.
package struct DiskError: Error, Hashable, Sendable {
    /// What was being done, as the start of a sentence: "writing", "syncing".
    package let operation: String
    package let path: String
    package let errno: Int32
    /// What people can do about it, as a sentence.
    package let advice: String?

    package init(_ operation: String, _ path: String, errno: Int32, advice: String? = nil) {
        self.advice = advice
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// The error of the table, where the path is the partial file or its folder.
    package var transferError: ServiceError {
        let reason = unsafe String(cString: strerror(errno))
        let failure = "\(operation) \(path.escapingControls) failed: \(reason)."
        let sentence = advice.map { "\(failure) \($0)" } ?? failure
        let details = ErrorDetails(errno: errno)
        return switch errno {
        case ENOSPC, EDQUOT: ServiceError(.diskFull, sentence, details: details)
        case EFBIG: ServiceError(.fileTooLarge, sentence, details: details)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG:
            ServiceError(.destinationUnwritable, sentence, details: details)
        default: ServiceError(.diskIO, sentence, details: details)
        }
    }
}

/// Which file a name stands for, and what can be seen of it without opening it.
package struct FileIdentity: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, folder, link, other }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let links: UInt64
    package let owner: UInt32
    /// Permission bits.
    package let mode: UInt32
    /// Nanoseconds since 1970 of the last modification.
    package let modified: Int64
    /// Nanoseconds since 1970 of the last change of the bytes or of anything else about it.
    package let changed: Int64

    package init(
        kind: Kind, device: UInt64, inode: UInt64, size: Int64, links: UInt64, owner: UInt32, mode: UInt32,
        modified: Int64, changed: Int64
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.size = size
        self.links = links
        self.owner = owner
        self.mode = mode
        self.modified = modified
        self.changed = changed
    }

    /// How the file looks.
    package var stamp: FileStamp { FileStamp(size: size, modified: modified, changed: changed) }
}

extension FileIdentity? {
    /// What the conflict policy is asked about; nil is a free name.
    package var holder: ConflictRule.Holder { map { $0.kind == .folder ? .folder : .file } ?? .nothing }
}

/// An open file or folder; closed when its last owner lets go.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    package let path: String

    package init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }
}
