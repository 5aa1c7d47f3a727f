import FerryCore
import FerryDisk
import FerryEngine
import Foundation

/// A disk in memory: names, and identities of files without bytes.
final class SimulatedDisk: DiskSystem, @unchecked Sendable {  // SAFETY: Used on the scheduler's thread only.
    private var files: [String: FileIdentity] = [:]
    private var last: UInt64 = 1

    init() { files["/f"] = new(.folder) }

    private func new(_ kind: FileIdentity.Kind, size: Int64 = 0) -> FileIdentity {
        last += 1
        return FileIdentity(
            kind: kind, device: 1, inode: last, size: size, links: 1, owner: 0, mode: 0o644, modified: Int64(last),
            changed: Int64(last))
    }

    /// Adds a file, replacing the one with its name.
    func place(_ path: String, size: Int64) -> FileIdentity {
        let file = new(.regular, size: size)
        files[path] = file
        return file
    }

    /// The file or folder with a path, or `nil`.
    func file(_ path: String) -> FileIdentity? { files[path] }

    func removeFile(_ path: String) { files[path] = nil }

    private func existing(_ path: String, _ operation: String) throws(DiskError) -> FileIdentity {
        guard let file = files[path] else { throw DiskError(operation, path, errno: ENOENT) }
        return file
    }

    // MARK: DiskSystem

    func device(of path: String) -> UInt64? { 1 }

    func openFolder(_ path: String) throws(DiskError) -> OpenFile {
        _ = try existing(path, "Opening")
        return OpenFile(descriptor: -1, path: path)
    }

    func createFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
        let path = folder.path + "/" + name
        guard files[path] == nil else { throw DiskError("Creating", path, errno: EEXIST) }
        _ = place(path, size: 0)
        return OpenFile(descriptor: -1, path: path)
    }

    func openFile(_ name: String, in folder: OpenFile) throws(DiskError) -> OpenFile {
        _ = try existing(folder.path + "/" + name, "Opening")
        return OpenFile(descriptor: -1, path: folder.path + "/" + name)
    }

    func identity(of file: OpenFile) throws(DiskError) -> FileIdentity { try existing(file.path, "Inspecting") }
    func identity(of name: String, in folder: OpenFile) throws(DiskError) -> FileIdentity? {
        files[folder.path + "/" + name]
    }

    func rename(
        _ name: String, in folder: OpenFile, to newName: String, in newFolder: OpenFile, replacing: Bool
    ) throws(DiskError) -> Bool {
        let (old, new) = (folder.path + "/" + name, newFolder.path + "/" + newName)
        let file = try existing(old, "Renaming")
        guard replacing || files[new] == nil else { return false }
        files[old] = nil
        files[new] = file
        return true
    }

    func remove(_ name: String, in folder: OpenFile) throws(DiskError) {
        _ = try existing(folder.path + "/" + name, "Removing")
        files[folder.path + "/" + name] = nil
    }

    func realPath(of folder: OpenFile) throws(DiskError) -> String { folder.path }

    func makeFolders(_ path: String, mode: UInt32, allowed: AllowedFolders?) throws(DiskError) {
        if files[path] == nil { files[path] = new(.folder) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(DiskError) -> Int {
        bytes.count
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, from file: OpenFile, at offset: Int64
    ) throws(DiskError) -> Int { 0 }

    func truncate(_ file: OpenFile, to size: Int64) throws(DiskError) {}
    func hasHole(_ file: OpenFile, before position: Int64) -> Bool { false }
    func allocate(_ file: OpenFile, size: Int64) throws(DiskError) -> Bool { true }
    func startWriteback(_ file: OpenFile) {}
    func syncData(_ file: OpenFile) throws(DiskError) {}
    func syncAll(_ file: OpenFile) throws(DiskError) {}
    func syncFileSystem(of folder: OpenFile) throws(DiskError) -> Bool { true }
    func unwrittenBytes() -> Int64? { nil }
    func syncFolder(_ folder: OpenFile) throws(DiskError) {}
    func setMode(_ mode: UInt32, of file: OpenFile) throws(DiskError) {}
    func setModificationTime(_ seconds: Int64, of file: OpenFile) throws(DiskError) {}
    func setAttribute(_ name: String, _ value: String, of file: OpenFile) throws(DiskError) -> Bool { true }
    func writeObstacle(in folder: OpenFile) -> Int32? { nil }
    func fileSystem(of folder: OpenFile) throws(DiskError) -> FileSystemFacts { FileSystemFacts(free: 1 << 40) }
    func mount(of path: String) -> Mount? { nil }
    func defaultAccessList(of path: String) -> DefaultAccessList? { nil }
}
