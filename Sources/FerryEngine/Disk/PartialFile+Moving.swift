// Ferry: FerryEngine
// Partial files that change hands.

package import FerryCore
import Foundation

extension Engine {
    /// Makes a file that an earlier transfer left the partial file of another one, cut at its offset.
    ///
    /// The file is renamed, so that only one transfer can take it; from another file system it is copied.
    /// - Throws: ``TransferError`` with code `partial_lost` if there is no such file, or it is too short or not ours.
    package func takeOverPartialFile(
        _ source: PartialSource, for id: TransferID, in folder: String
    ) async throws(TransferError) -> PartialFacts {
        do {
            return try await disk.at(.folder(folder)).run { system throws(DiskError) in
                try PartialFile.takeOver(source, for: id, in: system.openFolder(folder), disk: system)
            }
        } catch {
            guard [ENOENT, ELOOP, EISDIR, ENOTDIR, EACCES, EPERM].contains(error.errno) else {
                throw error.transferError
            }
            throw Self.lost(source.path)
        }
    }

    /// Gives a partial file a name under which nobody takes it for one of a transfer, cut at an offset.
    package func renamePartialFile(_ facts: PartialFacts, to name: String, cutAt offset: Int64)
        async throws(TransferError)
    {
        do {
            try await disk.at(.folder(facts.folder)).run { system throws(DiskError) in
                guard let file = try PartialFile.reopen(facts, atLeast: offset, disk: system) else { return }
                try system.truncate(file.file, to: offset)
                try file.sync()
                let naming = try PlacedSource(file).rename(to: name, in: file.folder, replacing: true, system)
                guard naming == .given else { throw DiskError("Renaming", facts.path, errno: ENOENT) }
                try system.syncFolder(file.folder)
            }
        } catch {
            throw error.transferError
        }
    }

    private static func lost(_ path: String) -> TransferError {
        TransferError(.partialLost, "The file \(path.escapingControls) that the transfer goes on with is gone.")
    }
}

extension PartialFile {
    fileprivate static func takeOver(
        _ source: PartialSource, for id: TransferID, in folder: OpenFile, disk: any DiskSystem
    ) throws(DiskError) -> PartialFacts {
        let old = try disk.openFolder(source.path.folderPart)
        let name = source.path.lastPathPart
        let file = try disk.openFile(name, in: old)
        let found = try disk.identity(of: file)
        guard found.kind == .regular, found.links == 1, found.owner == geteuid(), found.size >= source.offset else {
            throw DiskError("opening", source.path, errno: ENOENT)
        }
        let place = try disk.identity(of: folder)
        let newName = Self.name(of: id)
        let taken: OpenFile
        if found.device == place.device {
            let moved = PlacedSource(folder: old, file: file, name: name, device: found.device, inode: found.inode)
            guard try moved.rename(to: newName, in: folder, replacing: true, disk) == .given else {
                throw DiskError("opening", source.path, errno: ENOENT)
            }
            taken = file
        } else {
            taken = try disk.createFile(newName, in: folder)
            try copy(0..<source.offset, of: file, to: taken, disk: disk)
            try disk.remove(name, in: old)
        }
        try disk.truncate(taken, to: source.offset)
        try disk.syncData(taken)
        try disk.syncFolder(folder)
        let identity = try disk.identity(of: taken)
        return PartialFacts(
            folder: folder.path, name: newName, device: identity.device, inode: identity.inode,
            folderDevice: place.device, folderInode: place.inode)
    }

    /// Copies some of a file's bytes to the same place of another file.
    static func copy(
        _ range: Range<Int64>, of file: OpenFile, to target: OpenFile, disk: any DiskSystem
    ) throws(DiskError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
            let count = unsafe try disk.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), from: file, at: position)
            guard count > 0 else { throw DiskError("reading", file.path, errno: ENOENT) }
            var written = 0
            while written < count {
                written += unsafe try disk.write(
                    UnsafeRawBufferPointer(rebasing: buffer[written..<count]), to: target,
                    at: position + Int64(written))
            }
            position += Int64(count)
        }
    }
}
