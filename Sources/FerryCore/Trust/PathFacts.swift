/// What the system knows of one part of a path; a symbolic link is itself.
package struct PathFacts: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case folder, link, socket, other }

    package var path: String
    package var kind: Kind
    package var owner: UInt32
    /// Permission bits, with the sticky bit.
    package var mode: UInt32
    /// Whether its group has no member but the owner.
    package var isGroupPrivate: Bool
    package var device: UInt64
    package var inode: UInt64

    package init(
        path: String, kind: Kind, owner: UInt32, mode: UInt32, isGroupPrivate: Bool = false, device: UInt64 = 0,
        inode: UInt64 = 0
    ) {
        self.path = path
        self.kind = kind
        self.owner = owner
        self.mode = mode
        self.isGroupPrivate = isGroupPrivate
        self.device = device
        self.inode = inode
    }

    /// Whether users other than the owner may add, rename or remove entries.
    package var isWritableByOthers: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && !isGroupPrivate }

    /// Whether entries may be renamed or removed by their owners alone, as in `/tmp`.
    package var isSticky: Bool { mode & 0o1000 != 0 }

    /// Whether both are the same file.
    package func isSameFile(as other: PathFacts) -> Bool { device == other.device && inode == other.inode }
}
