// Ferry: FerryCore
// The promise that stands in the journal before a rename.

/// What is about to be renamed to where; committed before the rename, so that a crash between is understood.
package struct PlacementIntent: Hashable, Codable, Sendable {
    /// Absolute final path.
    package var path: String
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Digests that were computed and agreed.
    package var verified: [Checksum]

    package init(path: String, device: UInt64, inode: UInt64, size: Int64, verified: [Checksum]) {
        self.path = path
        self.device = device
        self.inode = inode
        self.size = size
        self.verified = verified
    }
}
