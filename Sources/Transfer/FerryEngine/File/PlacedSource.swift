import FerryCore
import FerryDisk
import FerryRules

/// The file that gets the final name: the partial file, or a copy of it in the target folder.
///
/// Another process with write access to the folder can replace the file at any moment. The open file is the verified
/// one, so its identity is compared with that of its name before and after the rename.
struct PlacedSource: Sendable {
    /// The outcome of a rename.
    enum Naming: Sendable {
        case given
        /// The final name is taken and must not be replaced. Nothing has changed.
        case isTaken
        /// The name belongs to another file. That file did not get the final name, or lost it again.
        case isLost
    }

    let folder: OpenFile
    let file: OpenFile
    let name: String
    /// The device of the open file.
    let device: UInt64
    /// The inode of the open file.
    let inode: UInt64

    /// Renames the open file to its final name, and no other file.
    func rename(
        to newName: String, in newFolder: OpenFile, replacing: Bool, _ disk: any DiskSystem
    ) throws(DiskError) -> Naming {
        // The owner is not compared: a network file system may report any.
        guard let found = try disk.identity(of: name, in: folder), try isOpenFile(found, name, in: folder, disk) else {
            return .isLost
        }
        guard try disk.rename(name, in: folder, to: newName, in: newFolder, replacing: replacing) else {
            return .isTaken
        }
        // If the name is free again, a program that waited for it took the file.
        guard let placed = try disk.identity(of: newName, in: newFolder),
            try !isOpenFile(placed, newName, in: newFolder, disk)
        else { return .given }
        _ = try? disk.rename(newName, in: newFolder, to: name, in: folder, replacing: false)
        return .isLost
    }

    /// Returns whether the file with a name is the open one.
    ///
    /// Some file systems of FUSE number files by name, or anew at each look. There the kernel's path of the open file
    /// decides, and after a second link only the bytes can.
    func isOpenFile(
        _ found: FileIdentity, _ name: String, in folder: OpenFile, _ disk: any DiskSystem
    ) throws(DiskError) -> Bool {
        guard found.kind == .regular else { return false }
        if found.device == device && found.inode == inode { return true }
        let open = try disk.identity(of: file)
        if found.device == open.device && found.inode == open.inode { return true }
        guard found.size == open.size, found.owner == open.owner else { return false }
        if let path = try? disk.realPath(of: file), path == (try? disk.realPath(of: folder))?.appendingPathPart(name) {
            return true
        }
        return try PlacedFile.hasSameBytes(name, in: folder, as: file, size: open.size, disk: disk)
    }
}

extension PlacedSource {
    init(_ partial: PartialFile) {
        self.init(
            folder: partial.folder, file: partial.file, name: partial.facts.name, device: partial.facts.device,
            inode: partial.facts.inode)
    }

    /// The error for a replaced file. The next attempt restarts from byte 0.
    var lost: ServiceError {
        ServiceError(
            .partialLost, "\(file.path.escapingControls) was replaced by another file before it had its final name.")
    }
}
