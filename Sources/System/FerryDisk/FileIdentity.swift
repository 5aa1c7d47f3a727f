/// The identity of a file, and its properties visible without opening it.
package struct FileIdentity: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case regular, folder, link
        /// A device, a FIFO or a socket.
        case special
    }

    package let kind: Kind
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let links: UInt64
    package let owner: UInt32
    /// Permission bits.
    package let mode: UInt32
    /// Modification time, in nanoseconds since 1970.
    package let modified: Int64
    /// Time of the last change to bytes or metadata, in nanoseconds since 1970.
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
}
