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
    /// Digests of the file whose expected ones disagreed, where that is no failure.
    package var mismatched: [Checksum]?
    /// Nanoseconds since 1970 of the placed file's last modification; absent before it is in its place.
    package var modified: Int64?
    /// Where the file was before a change of its name that may not have happened.
    package var formerPath: String?

    package init(
        path: String, device: UInt64, inode: UInt64, size: Int64, verified: [Checksum], mismatched: [Checksum] = []
    ) {
        self.path = path
        self.device = device
        self.inode = inode
        self.size = size
        self.verified = verified
        self.mismatched = mismatched.isEmpty ? nil : mismatched
    }

    private enum CodingKeys: String, CodingKey {
        case path, device, inode, size, verified, mismatched, modified
        case formerPath = "former_path"
    }
}
