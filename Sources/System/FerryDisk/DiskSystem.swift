package import FerryCore
import FerryFoundation

/// The calls of a file system.
///
/// There is one implementation per platform, and one for tests that fails on command. All calls block. Only `write` is
/// called on an event loop, and only on a loop of that file system.
package protocol DiskSystem: Sendable {
    /// Returns the file system of a folder, or of the one it will be created on. `nil` if that cannot be determined.
    func device(of path: String) -> UInt64?
    /// Opens a folder for finding files in it and for syncing it.
    func openFolder(_ path: String) throws(DiskError) -> OpenFile
    /// Returns the absolute path of an open folder, without links.
    func realPath(of folder: OpenFile) throws(DiskError) -> String
    /// Creates a new file with mode 0600. Never follows a link and never opens an existing file.
    func createFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile
    /// Opens a file for reading and writing. Never follows a link.
    func openFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile
    func identity(of file: OpenFile) throws(DiskError) -> FileIdentity
    /// Returns the identity of the file with a name, without following links, or `nil` if there is none.
    func identity(of name: String, in folder: OpenFile) throws(DiskError) -> FileIdentity?
    /// Writes some of the bytes and returns their number.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(DiskError) -> Int
    /// Reads some bytes and returns their number, or 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int64) throws(DiskError)
        -> Int
    func truncate(_ file: OpenFile, to size: Int64) throws(DiskError)
    /// Returns whether the file system reports unwritten bytes before a position.
    func hasHole(_ file: OpenFile, before position: Int64) -> Bool
    /// Reserves blocks without changing the length. Returns false if the file system does not support that.
    func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool
    /// Starts writing the file's bytes to the disk, so that several files are written in parallel. A hint that cannot
    /// fail.
    func startWriteback(_ file: OpenFile)
    /// Makes the file's bytes durable, and the metadata needed to read them.
    func syncData(_ file: OpenFile) throws(DiskError)
    /// Makes the file's bytes and times durable.
    func syncAll(_ file: OpenFile) throws(DiskError)
    /// Makes everything durable that was written to the folder's file system since the folder was opened.
    ///
    /// - Returns: False, with nothing guaranteed, if the file system or the kernel does not guarantee that or would not
    ///   report a failed write.
    func syncFileSystem(of folder: OpenFile) throws(DiskError) -> Bool
    /// Returns the number of dirty bytes in memory for all disks, or `nil` if unknown.
    func unwrittenBytes() -> Int64?
    /// Makes the names in a folder durable. See also ``syncNames(in:)``.
    func syncFolder(_ folder: OpenFile) throws(DiskError)
    func setMode(_ mode: UInt32, of file: OpenFile) throws(DiskError)
    /// Sets the modification time, in seconds since 1970.
    func setModificationTime(_ seconds: Int64, of file: OpenFile) throws(DiskError)
    /// Sets an extended attribute. Returns false if the file system does not support them.
    func setAttribute(_ name: String, _ value: String, of file: OpenFile) throws(DiskError) -> Bool
    /// Gives a file its final name, in the same folder or another one of the same file system.
    ///
    /// - Returns: False, with nothing changed, if the name is taken and must not be replaced. A device, a FIFO or a socket
    ///   is never replaced.
    func rename(
        _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replacing: Bool
    ) throws(DiskError) -> Bool
    func remove(_ name: String, in folder: OpenFile) throws(DiskError)
    /// Creates a folder and its missing parents with this mode, regardless of the umask. If one of them fails, it
    /// removes the created ones.
    ///
    /// - Parameter allowed: The folders in or below which the missing ones must be, after links are resolved.
    func makeFolders(_ path: String, mode: UInt32, allowed: AllowedFolders?) throws(DiskError)
    /// Returns the default access list of a folder, or of the nearest folder above it that exists and hands it down.
    func defaultAccessList(of path: String) -> DefaultAccessList?
    /// Returns the error number for which this process cannot create files in the folder, or `nil` if it can.
    func writeObstacle(in folder: OpenFile) -> Int32?
    /// Returns the type and the free space of the folder's file system.
    func fileSystem(of folder: OpenFile) throws(DiskError) -> FileSystemFacts
    /// Returns the mount of a folder, or of the nearest folder above it that exists. `nil` if that cannot be determined.
    func mount(of path: String) -> Mount?
}

extension DiskSystem {
    /// Makes the names in a folder as durable as its file system can. Some cannot sync a folder.
    package func syncNames(in folder: OpenFile) throws(DiskError) {
        do throws(DiskError) { try syncFolder(folder) } catch {
            if !error.isRefusal { throw error }
        }
    }

    /// Opens a folder that must be one of the allowed ones or below, after links are resolved.
    package func openFolder(_ path: String, allowed: AllowedFolders?) throws(DiskError) -> OpenFile {
        let folder = try openFolder(path)
        try check(folder, allowed: allowed)
        return folder
    }

    /// Checks where an open folder is. What is done through its descriptor stays there, even if a link changes.
    ///
    /// - Throws: ``DiskError`` with `EPERM` that names the folder's real path.
    package func check(_ folder: OpenFile, allowed: AllowedFolders?) throws(DiskError) {
        guard let allowed else { return }
        let place = try realPath(of: folder)
        // An allowed folder may be a link itself.
        for root in allowed.folders {
            if AllowedFolders([root]).contain(place) { return }
            guard let open = try? openFolder(root), let real = try? realPath(of: open) else { continue }
            if AllowedFolders([real]).contain(place) { return }
        }
        throw DiskError(
            "Opening the folder", folder.path, errno: EPERM,
            advice: "It is \(place.escapingControls), which is outside the allowed folders: \(allowed.named).")
    }
}

/// An open file or folder. Closed when its last reference is released.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    package let path: String

    package init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }
}
