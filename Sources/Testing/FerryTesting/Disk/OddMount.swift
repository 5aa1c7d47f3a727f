package import FerryCore
import FerryDisk

/// How a mount shows files: FUSE and the file systems of other systems have their own numbers and owners.
package struct OddMount: Hashable, Sendable {
    /// The source of inode numbers.
    package enum Inodes: Hashable, Sendable, CaseIterable {
        /// The number stays with the file.
        case stored
        /// The number follows from the path, as over SFTP, where a second link has another number.
        case ofPath
        /// The number is another one at each look.
        case ofLook
    }

    package var inodes = Inodes.stored
    /// The device number to show instead of the real one.
    package var device: UInt64?
    /// The owner to show instead of the real one.
    package var owner: UInt32?
    /// Changes the numbers that follow from paths, as a new mount does.
    package var generation: UInt64 = 0
    /// The mount to show for every folder instead of the real one.
    package var shown: Mount?
    private var looks: UInt64 = 0

    package init(inodes: Inodes = .stored, device: UInt64? = nil, owner: UInt32? = nil, generation: UInt64 = 0) {
        self.inodes = inodes
        self.device = device
        self.owner = owner
        self.generation = generation
    }

    mutating func shown(_ found: FileIdentity, path: String) -> FileIdentity {
        looks += 1
        let inode: UInt64 =
            switch inodes {
            case .stored: found.inode
            case .ofPath: path.utf8.reduce(generation) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            case .ofLook: looks
            }
        return FileIdentity(
            kind: found.kind, device: device ?? found.device, inode: inode, size: found.size, links: found.links,
            owner: owner ?? found.owner, mode: found.mode, modified: found.modified, changed: found.changed)
    }
}
