package import FerryCore
import FerryDisk
package import FerryRules
import Foundation

/// Transferring partial files between owners.
extension TransferFiles {
    /// Adopts a file of an earlier transfer as the partial file of another one, truncated at its offset.
    ///
    /// A file that Ferry has handed over (``ReleasedName``) is renamed, so that only one transfer can take it. It must
    /// satisfy the same conditions as Ferry's own partial files, because it is renamed, truncated and written to. Any
    /// other file is the user's: it is copied, and stays as it is.
    /// - Throws: ``ServiceError`` with code `partial_lost` and the reason if there is no such file, or it is too short,
    ///   not regular, not the user's, or has a second name.
    package func takeOverPartialFile(
        _ source: PartialSource, for id: TransferID, in folder: String
    ) async throws(ServiceError) -> PartialFacts {
        let taken = await disk.at(.folder(folder)).result { system throws(DiskError) in
            try PartialFile.takeOver(source, for: id, in: system.openFolder(folder), disk: system)
        }
        switch taken {
        case .success(.success(let facts)): return facts
        case .success(.failure(let objection)): throw Self.lost(source.path, objection.reason)
        case .failure(let error):
            guard [ENOENT, ELOOP, EISDIR, ENOTDIR, EACCES, EPERM].contains(error.errno) else {
                throw error.transferError
            }
            let reason = unsafe String(cString: strerror(error.errno))
            throw Self.lost(source.path, error.errno == ENOENT ? "is gone" : "cannot be used: \(reason)")
        }
    }

    /// Truncates a partial file at an offset and renames it, so that it does not count as the partial file of a
    /// transfer.
    package func renamePartialFile(_ facts: PartialFacts, to name: String, cutAt offset: Int64)
        async throws(ServiceError)
    {
        do {
            try await disk.at(.folder(facts.folder)).run { system throws(DiskError) in
                let evidence = PartialEvidence(recorded: facts, durable: offset)
                guard case .found(let file) = try PartialFile.reopen(evidence, disk: system) else { return }
                try system.truncate(file.file, to: offset)
                try file.sync()
                let naming = try PlacedSource(file).rename(to: name, in: file.folder, replacing: true, system)
                guard naming == .given else { throw DiskError("Renaming", facts.path, errno: ENOENT) }
                try system.syncNames(in: file.folder)
            }
        } catch {
            throw error.transferError
        }
    }

    private static func lost(_ path: String, _ reason: String) -> ServiceError {
        ServiceError(.partialLost, "The file \(path.escapingControls), which the transfer continues, \(reason).")
    }
}

/// Why a file cannot be the partial file of a transfer that continues at an offset.
struct PartialObjection: Error, Hashable {
    /// The reason as the end of a sentence about the file.
    let reason: String

    private init(_ reason: String) { self.reason = reason }

    /// - Parameters:
    ///   - found: The file itself, without following links, or `nil` if there is none.
    ///   - offset: Byte position at which the transfer continues.
    ///   - user: The owner of the files that this process creates there.
    /// - Returns: `nil` if the file can be used.
    init?(to found: FileIdentity?, after offset: Int64, user: UInt32) {
        guard let found else {
            self.init("is gone")
            return
        }
        switch found.kind {
        case .link: self.init("is a symbolic link")
        case .folder: self.init("is a folder")
        case .special: self.init("is no regular file")
        // Another user, or another program through a second name, could change the file during the transfer.
        case .regular where found.owner != user: self.init("belongs to user \(found.owner), not to user \(user)")
        case .regular where found.links > 1: self.init("has \(found.links) hard links instead of one")
        case .regular where found.size < offset:
            self.init("has \(found.size) bytes, and the transfer continues after \(offset)")
        case .regular: return nil
        }
    }
}

extension PartialFile {
    fileprivate static func takeOver(
        _ source: PartialSource, for id: TransferID, in folder: OpenFile, disk: any DiskSystem
    ) throws(DiskError) -> Result<PartialFacts, PartialObjection> {
        let old = try disk.openFolder(source.path.folderPart)
        let name = source.path.lastPathPart
        func objection(to found: FileIdentity?) throws(DiskError) -> PartialObjection? {
            let isOwn = try found.map { found throws(DiskError) in try disk.isOwn(found, in: old) } ?? true
            let user = isOwn ? found?.owner ?? geteuid() : geteuid()
            return PartialObjection(to: found, after: source.offset, user: user)
        }
        // Check before opening, which has effects on devices and pipes. Check again after opening, because it may be
        // another file.
        if let objection = try objection(to: disk.identity(of: name, in: old)) { return .failure(objection) }
        let file = try disk.openFile(name, in: old)
        let found = try disk.identity(of: file)
        if let objection = try objection(to: found) { return .failure(objection) }
        let place = try disk.identity(of: folder)
        let newName = Self.name(of: id)
        let isOwn = ReleasedName.isOne(name)
        let taken: OpenFile
        if isOwn, found.device == place.device {
            let moved = PlacedSource(folder: old, file: file, name: name, device: found.device, inode: found.inode)
            guard try moved.rename(to: newName, in: folder, replacing: true, disk) == .given else {
                throw DiskError("opening", source.path, errno: ENOENT)
            }
            taken = file
        } else {
            taken = try disk.createFile(newName, in: folder)
            try copy(0..<source.offset, of: file, to: taken, disk: disk)
            if isOwn { try disk.remove(name, in: old) }
        }
        try disk.truncate(taken, to: source.offset)
        try disk.syncData(taken)
        try disk.syncNames(in: folder)
        let identity = try disk.identity(of: taken)
        return .success(
            PartialFacts(
                folder: folder.path, name: newName, device: identity.device, inode: identity.inode,
                folderDevice: place.device, folderInode: place.inode))
    }

    /// Copies a range of bytes to the same position of another file.
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
