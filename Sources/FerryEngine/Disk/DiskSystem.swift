// Ferry: FerryEngine
// The system calls on files that the engine makes, as a seam.

/// The system calls on files that the engine makes.
///
/// One implementation a platform, and one for tests that fails on command. All block; only `write` is called on an
/// event loop, one of those that belong to the file system.
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
    /// Reserves blocks without changing the length; false where the file system cannot.
    func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool
    /// Lets the disk begin with the file's bytes, so that several files are written at once; a hint that cannot fail.
    func startWriteback(_ file: OpenFile)
    /// Makes the file's bytes durable, and what is needed to find them.
    func syncData(_ file: OpenFile) throws(DiskError)
    /// Makes the file's bytes durable, and its times.
    func syncAll(_ file: OpenFile) throws(DiskError)
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
    /// Makes a folder and those above it, as far as they are missing, with this mode whatever the process's umask is. Where one
    /// of them cannot be made, the ones that were made are removed.
    func makeFolders(_ path: String, mode: UInt32) throws(DiskError)
    /// Whether this process may make files in the folder.
    func isWritable(_ folder: OpenFile) -> Bool
    /// Bytes that this user may still write to the folder's file system.
    func freeSpace(of folder: OpenFile) throws(DiskError) -> Int64
}
