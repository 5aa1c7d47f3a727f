// Ferry: FerryEngine
// Which file a name stands for.

package import FerryCore

/// Which file a name stands for, and what can be seen of it without opening it.
package struct FileIdentity: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, folder, link, other }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let links: UInt64
    package let owner: UInt32
    /// Permission bits.
    package let mode: UInt32
    /// Nanoseconds since 1970 of the last modification.
    package let modified: Int64
    /// Nanoseconds since 1970 of the last change of the bytes or of anything else about it.
    package let changed: Int64

    package init(
        kind: Kind, device: UInt64, inode: UInt64, size: Int64, links: UInt64, owner: UInt32, mode: UInt32,
        modified: Int64, changed: Int64
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.size = size
        self.links = links
        self.owner = owner
        self.mode = mode
        self.modified = modified
        self.changed = changed
    }

    /// How the file looks.
    package var stamp: FileStamp { FileStamp(size: size, modified: modified, changed: changed) }
}

extension FileIdentity? {
    /// What the conflict policy is asked about; nil is a free name.
    package var holder: ConflictRule.Holder { map { $0.kind == .folder ? .folder : .file } ?? .nothing }
}
