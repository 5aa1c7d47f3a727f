import FerryCore
import FerryDisk
import FerryRules
import Foundation
import NIOCore

/// Creates and writes small files, and makes them durable under the names of partial files.
struct SmallFileWriter {
    /// A file with durable bytes.
    struct Written: Sendable {
        let file: PartialFile
        /// Nanoseconds since 1970.
        let modified: Int64
        /// Notes about attributes that the file system refused.
        let notes: [String]
    }

    private struct Folder {
        let open: OpenFile
        let identity: FileIdentity
        var system: FileSystemFacts
    }

    private let disk: any DiskSystem
    private let reached: @Sendable (LifecycleStep) -> Void
    private var folders: [PathKey: Folder] = [:]

    init(disk: any DiskSystem, reached: @escaping @Sendable (LifecycleStep) -> Void) {
        self.disk = disk
        self.reached = reached
    }

    /// - Returns: The files in their order. `nil` for one that could not be created. Nothing of it is left on disk.
    mutating func write(_ files: [SmallFiles.File]) -> [Written?] {
        var written = files.map { try? write($0) }
        var left: [UInt64: [Int]] = [:]
        for (index, one) in written.enumerated() {
            if let one { left[one.file.facts.device, default: []].append(index) }
        }
        for group in left.values where !syncTogether(group.map { (files[$0], written[$0]) }) {
            for index in group { if let one = written[index] { disk.startWriteback(one.file.file) } }
            for index in group {
                guard let one = written[index] else { continue }
                do {
                    try disk.syncData(one.file.file)
                } catch {
                    remove(one.file)
                    written[index] = nil
                }
            }
        }
        reached(.bytesSynced)
        reached(.wholeVerified)
        return written
    }

    /// Makes files of one file system durable with one call, if that costs less than one call each.
    ///
    /// - Returns: False if each file must be synced separately. That also shows which file a write error belongs to.
    private func syncTogether(_ files: [(file: SmallFiles.File, written: Written?)]) -> Bool {
        guard let folder = files.first?.written?.file.folder else { return false }
        let bytes = files.reduce(into: Int64(0)) { $0 += Int64($1.file.bytes.readableBytes) }
        guard GroupSync.isWorthCounting(files.count),
            GroupSync(files: files.count, bytes: bytes, unwritten: disk.unwrittenBytes()) == .fileSystem
        else { return false }
        return (try? disk.syncFileSystem(of: folder)) ?? false
    }

    private mutating func write(_ file: SmallFiles.File) throws(DiskError) -> Written {
        let folder = try take(file)
        let name = file.name
        // A taken name uses the normal path, which applies the conflict policy.
        let found = try disk.identity(of: name, in: folder.open)
        guard case .take = file.rule.verdict(on: file.path, heldBy: found.holder) else {
            throw DiskError("Making the file", file.path, errno: EEXIST)
        }
        let partialName = PartialFile.name(of: file.id)
        let open = try disk.createFile(partialName, in: folder.open)
        do throws(DiskError) {
            reached(.partialMade)
            try write(file.bytes, to: open)
            reached(.bytesWritten)
            let notes = try file.attributes.set(on: open, replacing: name, in: folder.open, disk)
            reached(.attributesSet)
            let identity = try disk.identity(of: open)
            var facts = PartialFacts(
                folder: folder.open.path, name: partialName, device: identity.device, inode: identity.inode,
                folderDevice: folder.identity.device, folderInode: folder.identity.inode)
            facts.keepsInode = folder.system.keepsInodes
            return Written(
                file: PartialFile(folder: folder.open, file: open, facts: facts, disk: disk),
                modified: identity.modified, notes: notes)
        } catch {
            try? disk.remove(partialName, in: folder.open)
            throw error
        }
    }

    /// Returns the open folder of a file, after checking its free disk space.
    private mutating func take(_ file: SmallFiles.File) throws(DiskError) -> Folder {
        var folder: Folder
        if let known = folders[PathKey(file.folder)] {
            folder = known
        } else {
            let open = try open(file)
            folder = Folder(
                open: open, identity: try disk.identity(of: open), system: try disk.fileSystem(of: open))
        }
        // Files in one folder may have different limits.
        try disk.check(folder.open, allowed: file.allowedFolders)
        try check(folder.identity.device, of: file)
        folder.system.free = folder.system.free.map { $0 - Int64(file.bytes.readableBytes) }
        guard folder.system.free ?? .max >= file.reserve else {
            throw DiskError("Making the file", file.path, errno: ENOSPC)
        }
        folders[PathKey(file.folder)] = folder
        return folder
    }

    private func open(_ file: SmallFiles.File) throws(DiskError) -> OpenFile {
        do throws(DiskError) {
            return try disk.openFolder(file.folder)
        } catch {
            guard error.errno == ENOENT, file.makesFolder else { throw error }
            try check(disk.device(of: file.folder), of: file)
            try disk.makeFolders(file.folder, mode: file.folderMode, allowed: file.allowedFolders)
            return try disk.openFolder(file.folder)
        }
    }

    /// Leaves a file on another device than expected to the normal path, which finds out whether its disk was unmounted.
    private func check(_ device: UInt64?, of file: SmallFiles.File) throws(DiskError) {
        guard let expected = file.device, let device, device != expected else { return }
        throw DiskError("Making the file", file.path, errno: EXDEV)
    }

    private func write(_ bytes: ByteBuffer, to file: OpenFile) throws(DiskError) {
        let result = unsafe bytes.withUnsafeReadableBytes { bytes in
            Result { () throws(DiskError) in
                var done = 0
                while done < bytes.count {
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                    done += try unsafe disk.write(rest, to: file, at: Int64(done))
                }
            }
        }
        try result.get()
    }

    private func remove(_ file: PartialFile) { try? PartialFile.remove(file.facts, disk: disk) }
}
