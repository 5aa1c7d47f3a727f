package import FerryCore
package import FerryDisk
package import FerryRules
import Foundation

/// Operations on placed files.
extension TransferFiles {
    /// Returns whether the placed file is still at its path and unchanged. Links are not followed.
    package func isPlacedFileIntact(_ placement: PlacementIntent, on queue: DiskQueue? = nil) async -> Bool {
        let folder = DiskLane.Place.folder(placement.path.folderPart)
        let found = await (queue ?? disk.at(folder)).result { system throws(DiskError) in
            try PlacedFile.find(placement, in: system.openFolder(placement.path.folderPart), disk: system)
        }
        return if case .success(true) = found { true } else { false }
    }

    /// Returns the kind of file that has a name. A name that cannot be checked counts as taken.
    package func holder(of path: String) async -> ConflictRule.Holder {
        let found = await disk.at(.folder(path.folderPart)).result { system throws(DiskError) in
            try system.identity(of: path.lastPathPart, in: system.openFolder(path.folderPart)).holder
        }
        return (try? found.get()) ?? .file
    }

    /// Renames a placed file within its folder, and returns once the name is durable.
    ///
    /// - Returns: False, with nothing changed, if the name is taken and must not be replaced.
    /// - Throws: ``ServiceError`` with code `placement_failed` if the file has changed since it was placed, or cannot
    ///   be renamed.
    package func renamePlacedFile(
        _ placement: PlacementIntent, to name: String, replacing: Bool
    ) async throws(ServiceError) -> Bool {
        let disk = disk.at(.folder(placement.path.folderPart))
        do {
            let folder = try await disk.run { system throws(DiskError) -> OpenFile? in
                let folder = try system.openFolder(placement.path.folderPart)
                guard try PlacedFile.find(placement, in: folder, disk: system) else {
                    throw DiskError("Renaming", placement.path, errno: ENOENT)
                }
                let isRenamed = try system.rename(
                    placement.path.lastPathPart, in: folder, to: name, in: folder, replacing: replacing)
                return isRenamed ? folder : nil
            }
            guard let folder else { return false }
            try await folders.sync(folder, on: disk)
            return true
        } catch {
            throw ServiceError(
                .placementFailed, error.transferError.message, details: ErrorDetails(errno: error.errno))
        }
    }

    /// Removes the copy made for placing a transfer, if there is one.
    package func removeCopy(
        _ path: String, of id: TransferID, on queue: DiskQueue? = nil
    ) async throws(ServiceError) {
        do {
            try await (queue ?? disk.at(.folder(path.folderPart))).run { system throws(DiskError) in
                try PartialFile.removeCopy(path, of: id, disk: system)
            }
        } catch {
            throw error.transferError
        }
    }
}

/// Checks on placed files.
enum PlacedFile {
    /// Returns whether the file at the placed file's name is that file, unmodified since.
    ///
    /// Its size and its modification time in nanoseconds identify a file whose disk was mounted anew: device numbers
    /// follow the order of mounts, and many file systems number their files anew.
    static func find(
        _ placement: PlacementIntent, in folder: OpenFile, disk: any DiskSystem
    ) throws(DiskError) -> Bool {
        guard let found = try disk.identity(of: placement.path.lastPathPart, in: folder) else { return false }
        return placement.describes(found)
    }

    /// Returns whether the file with a name has the recorded digest. False without one.
    static func has(
        _ prefix: PrefixDigest?, _ name: String, in folder: OpenFile, disk: any DiskSystem
    ) throws(DiskError) -> Bool {
        guard let prefix else { return false }
        return try PrefixDigest(of: disk.openFile(name, in: folder), to: prefix.count, disk: disk) == prefix
    }

    /// Returns whether the file with a name has the bytes of an open file.
    static func hasSameBytes(
        _ name: String, in folder: OpenFile, as file: OpenFile, size: Int64, disk: any DiskSystem
    ) throws(DiskError) -> Bool {
        let other = try disk.openFile(name, in: folder)
        guard try disk.identity(of: other).size == size else { return false }
        let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 << 20, alignment: 16)
        defer { unsafe buffers.deallocate() }
        let (first, second) = unsafe (buffers[..<(1 << 20)], buffers[(1 << 20)...])
        var position: Int64 = 0
        while position < size {
            let count = unsafe try disk.read(into: .init(rebasing: first), from: file, at: position)
            guard count > 0 else { return false }
            var read = 0
            while read < count {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: second.dropFirst(read).prefix(count - read))
                let more = unsafe try disk.read(into: part, from: other, at: position + Int64(read))
                guard more > 0 else { return false }
                read += more
            }
            guard unsafe first.prefix(count).elementsEqual(second.prefix(count)) else { return false }
            position += Int64(count)
        }
        return true
    }
}

extension PlacementIntent {
    /// Undoes a rename that a crash interrupted.
    func undoRename(
        of id: TransferID, _ partial: PartialFacts?, _ disk: any DiskSystem
    ) throws(DiskError) {
        let folder: OpenFile
        do {
            folder = try disk.openFolder(path.folderPart)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return
        }
        for name in [partial?.name ?? PartialFile.name(of: id), PartialFile.copyName(of: id)] {
            try disk.undoRename(of: name, to: path.lastPathPart, in: folder)
        }
    }

    /// Returns whether a file is the one that was about to be placed. Its attributes may have changed since.
    func announces(_ found: FileIdentity) -> Bool {
        found.kind == .regular && found.size == size && (found.inode == inode || found.modified == modified)
    }

    /// Returns whether a file is the placed one, unmodified since.
    func describes(_ found: FileIdentity) -> Bool {
        guard found.kind == .regular, found.size == size else { return false }
        guard let modified else { return found.inode == inode }
        if modified == found.modified { return true }
        // Until they are mounted anew, some file systems show finer times than they store. The coarsest are 2 s (FAT).
        let isCoarse = found.modified.isMultiple(of: 10_000_000)
        return isCoarse && found.inode == inode && abs(modified - found.modified) < 2_000_000_000
    }
}

/// Syncs folders. Concurrent placements in the same folder share one `fsync`.
package actor FolderSync {
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// Syncs that have not started. Placements made before the start share them.
    private var pending: [Key: Task<Result<Void, DiskError>, Never>] = [:]
    private var running: [Key: Task<Result<Void, DiskError>, Never>] = [:]

    package init() {}

    /// Returns once every name in the folder at the time of the call is durable.
    package func sync(_ folder: OpenFile, on disk: DiskQueue) async throws(DiskError) {
        let place = try await disk.run { system throws(DiskError) in try system.identity(of: folder) }
        let key = Key(device: place.device, inode: place.inode)
        if let task = pending[key] { return try await task.value.get() }
        let previous = running[key]
        let task = Task(name: "sync of \(folder.path)") {
            _ = await previous?.value
            self.begin(key)
            return await disk.result { system throws(DiskError) in try system.syncNames(in: folder) }
        }
        pending[key] = task
        defer { if running[key] == task { running[key] = nil } }
        try await task.value.get()
    }

    private func begin(_ key: Key) { running[key] = pending.removeValue(forKey: key) }
}
