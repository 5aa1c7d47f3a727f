import FerryCore

/// The file that gets the final name: the partial file, or a copy of it beside that name.
///
/// Another process that may write to its folder can put another file under its name at any moment. What was verified is
/// the open file, so its name is compared with it before and after the rename.
struct PlacedSource: Sendable {
    /// What became of a rename.
    enum Naming: Sendable {
        case given
        /// The final name is taken and must not be replaced; nothing has changed.
        case isTaken
        /// The name stands for another file, which has not got the final name, or has lost it again.
        case isLost
    }

    let folder: OpenFile
    let file: OpenFile
    let name: String
    let device: UInt64
    let inode: UInt64

    /// Gives the open file its final name, and no other file.
    func rename(
        to newName: String, in newFolder: OpenFile, replacing: Bool, _ disk: any DiskSystem
    ) throws(DiskError) -> Naming {
        // The owner says nothing more: a file system of another machine may show any.
        guard let found = try disk.identity(of: name, in: folder), try isOpenFile(found, disk) else { return .isLost }
        guard try disk.rename(name, in: folder, to: newName, in: newFolder, replacing: replacing) else {
            return .isTaken
        }
        // A name that is gone again was taken by a program that waited for it.
        guard let placed = try disk.identity(of: newName, in: newFolder), try !isOpenFile(placed, disk) else {
            return .given
        }
        _ = try? disk.rename(newName, in: newFolder, to: name, in: folder, replacing: false)
        return .isLost
    }

    private func isOpenFile(_ found: FileIdentity, _ disk: any DiskSystem) throws(DiskError) -> Bool {
        let own = try disk.identity(of: file)
        return found.kind == .regular && found.device == own.device && found.inode == own.inode
    }
}

extension PlacedSource {
    init(_ partial: PartialFile) {
        self.init(
            folder: partial.folder, file: partial.file, name: partial.facts.name, device: partial.facts.device,
            inode: partial.facts.inode)
    }

    /// The error of a file whose name stands for another one; the next attempt begins again.
    var lost: ServiceError {
        ServiceError(
            .partialLost, "\(file.path.escapingControls) was replaced by another file before it had its final name.")
    }
}
