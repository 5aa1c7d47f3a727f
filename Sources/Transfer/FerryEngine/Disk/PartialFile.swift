package import FerryCore
package import FerryDisk
package import FerryRules
import Foundation

/// The unfinished file of one transfer.
///
/// Owns the descriptors of the file and its folder. Bytes inside the recorded ranges survive a power failure. Others
/// may not.
package final class PartialFile: Sendable {
    package let folder: OpenFile
    package let file: OpenFile
    package let facts: PartialFacts
    private let disk: any DiskSystem

    init(folder: OpenFile, file: OpenFile, facts: PartialFacts, disk: any DiskSystem) {
        self.folder = folder
        self.file = file
        self.facts = facts
        self.disk = disk
    }

    /// Returns the name of a transfer's partial file. Folder listings hide it.
    package static func name(of id: TransferID, suffix: Int = 0) -> String {
        suffix == 0 ? ".ferry-\(id).part" : ".ferry-\(id)-\(suffix).part"
    }

    /// Returns the name of a copy of the partial file in the target folder.
    package static func copyName(of id: TransferID) -> String { ".ferry-\(id)-copy.part" }

    /// Creates the file in a folder. If another file has the name, it is kept and another name is used.
    package static func create(
        for id: TransferID, in folder: OpenFile, disk: any DiskSystem
    ) throws(DiskError) -> PartialFile {
        var suffix = 0
        while true {
            let name = name(of: id, suffix: suffix)
            do {
                let file = try disk.createFile(name, in: folder)
                return try PartialFile(folder: folder, file: file, name: name, disk: disk)
            } catch  where error.errno == EEXIST && suffix < 99 {
                suffix += 1
            }
        }
    }

    private convenience init(
        folder: OpenFile, file: OpenFile, name: String, disk: any DiskSystem
    ) throws(DiskError) {
        let identity = try disk.identity(of: file)
        let place = try disk.identity(of: folder)
        var facts = PartialFacts(
            folder: folder.path, name: name, device: identity.device, inode: identity.inode,
            folderDevice: place.device, folderInode: place.inode)
        facts.keepsInode = try disk.fileSystem(of: folder).keepsInodes
        self.init(folder: folder, file: file, facts: facts, disk: disk)
    }

    /// The outcome of reopening a recorded file.
    package enum Reopening: Sendable {
        /// The recorded file, with its present device and inode numbers.
        case found(PartialFile)
        /// The recorded file, of which only this many bytes from the start are proven.
        case proven(PartialFile, Int64)
        case missing
        /// The file at that name is another one or has lost bytes.
        case lost
    }

    /// Reopens the recorded file.
    package static func reopen(_ facts: TransferFacts, disk: any DiskSystem) throws(DiskError) -> Reopening {
        guard let recorded = facts.partial else { return .missing }
        let evidence = PartialEvidence(
            recorded: recorded, stamp: facts.stamp, prefix: facts.prefix?.count ?? 0, durable: facts.ranges.upperBound)
        return try reopen(evidence, facts.prefix, disk: disk)
    }

    static func reopen(
        _ evidence: PartialEvidence, _ prefix: PrefixDigest? = nil, disk: any DiskSystem
    ) throws(DiskError) -> Reopening {
        let recorded = evidence.recorded
        let folder = try disk.openFolder(recorded.folder)
        let file: OpenFile
        do {
            file = try disk.openFile(recorded.name, in: folder)
        } catch  where error.errno == ENOENT {
            return .missing
        } catch  where error.errno == ELOOP || error.errno == EISDIR {
            return .lost
        }
        let found = try disk.identity(of: file)
        var facts = recorded
        (facts.device, facts.inode) = (found.device, found.inode)
        if facts.device != recorded.device || !recorded.keepsInode {
            let place = try disk.identity(of: folder)
            (facts.folderDevice, facts.folderInode) = (place.device, place.inode)
        }
        let partial = PartialFile(folder: folder, file: file, facts: facts, disk: disk)
        switch evidence.verdict(on: found, isOwn: try disk.isOwn(found, in: folder)) {
        case .recorded: return .found(partial)
        case .bytesDecide:
            guard let prefix, try partial.digest(to: prefix.count) == prefix else { return .lost }
            return .proven(partial, prefix.count)
        case .useless, .foreign: return .lost
        }
    }

    /// Returns the digest of the first bytes, which continues a shorter one.
    func digest(_ begun: PrefixDigest = PrefixDigest(), to end: Int64) throws(DiskError) -> PrefixDigest {
        try PrefixDigest(of: file, from: begun, to: end, disk: disk)
    }

    package func truncate() throws(DiskError) { try disk.truncate(file, to: 0) }

    package func sync() throws(DiskError) { try disk.syncData(file) }

    /// Makes everything durable and sets a modification time that reveals later changes.
    ///
    /// - Returns: The file's stamp, or `nil` if the time cannot be set or is not kept.
    func seal() throws(DiskError) -> FileStamp? {
        let mark = FileStamp.mark(at: Int64(Date().timeIntervalSince1970))
        do throws(DiskError) {
            try disk.setModificationTime(mark, of: file)
        } catch {
            try sync()
            return nil
        }
        try disk.syncAll(file)
        let stamp = try disk.identity(of: file).stamp
        return stamp.modified == mark * 1_000_000_000 ? stamp : nil
    }

    /// Returns the file's size and times.
    func stamp() throws(DiskError) -> FileStamp { try disk.identity(of: file).stamp }

    package func size() throws(DiskError) -> Int64 { try disk.identity(of: file).size }
}

/// Removing Ferry's own files only.
extension PartialFile {
    /// Removes the recorded partial file. Keeps any other file of that name.
    package static func remove(_ facts: PartialFacts, disk: any DiskSystem) throws(DiskError) {
        let folder: OpenFile
        do {
            folder = try disk.openFolder(facts.folder)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return
        }
        guard let found = try disk.identity(of: facts.name, in: folder), found.kind == .regular else { return }
        let isOwn = (try? disk.isOwn(found, in: folder)) ?? false
        guard PartialEvidence(recorded: facts).verdict(on: found, isOwn: isOwn) != .foreign else { return }
        try disk.remove(facts.name, in: folder)
    }

    /// Removes a copy of the partial file in the target folder. Keeps any other file of that name.
    package static func removeCopy(_ path: String, of id: TransferID, disk: any DiskSystem) throws(DiskError) {
        let name = path.lastPathPart
        guard name == copyName(of: id) else { return }
        let folder: OpenFile
        do {
            folder = try disk.openFolder(path.folderPart)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return
        }
        guard let found = try disk.identity(of: name, in: folder), found.kind == .regular, found.links <= 1,
            (try? disk.isOwn(found, in: folder)) == true
        else { return }
        try disk.remove(name, in: folder)
    }

    /// Removes a partial file that was created but never recorded, such as after a crash between the two.
    package static func removeUnrecorded(of id: TransferID, in folder: OpenFile, disk: any DiskSystem) throws(DiskError)
    {
        let name = name(of: id)
        guard let found = try disk.identity(of: name, in: folder), found.kind == .regular, found.links <= 1,
            (try? disk.isOwn(found, in: folder)) == true
        else { return }
        try disk.remove(name, in: folder)
    }
}
