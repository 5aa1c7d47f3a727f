package import FerryCore

/// Identifies the partial file of one transfer, so that no other file is mistaken for it.
///
/// Device and inode numbers are those of the last attempt. Another order of mounts changes the first, and some file
/// systems both.
package struct PartialFacts: Hashable, Codable, Sendable {
    /// Absolute path of its folder.
    package var folder: String
    package var name: String
    package var device: UInt64
    package var inode: UInt64
    package var folderDevice: UInt64
    package var folderInode: UInt64
    /// Whether its modification time is reliable. False once the time has changed without any sign of a write.
    package var hasReliableTime = true
    /// Whether its inode number stays the same when its file system is mounted anew.
    package var keepsInode = true
    /// The mounts of the transfer's folders when the file was created, by the folder's path.
    package var mounts: [String: Mount] = [:]

    package init(
        folder: String, name: String, device: UInt64, inode: UInt64, folderDevice: UInt64, folderInode: UInt64
    ) {
        self.folder = folder
        self.name = name
        self.device = device
        self.inode = inode
        self.folderDevice = folderDevice
        self.folderInode = folderInode
    }

    package var path: String { folder + "/" + name }

    private enum CodingKeys: String, CodingKey {
        case folder, name, device, inode, mounts
        case folderDevice = "folder_device"
        case folderInode = "folder_inode"
        case hasReliableTime = "tells_changes"
        case keepsInode = "keeps_inode"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        folder = try box.decode(String.self, forKey: .folder)
        name = try box.decode(String.self, forKey: .name)
        device = try box.decode(UInt64.self, forKey: .device)
        inode = try box.decode(UInt64.self, forKey: .inode)
        folderDevice = try box.decode(UInt64.self, forKey: .folderDevice)
        folderInode = try box.decode(UInt64.self, forKey: .folderInode)
        hasReliableTime = try box.decodeIfPresent(Bool.self, forKey: .hasReliableTime) ?? true
        keepsInode = try box.decodeIfPresent(Bool.self, forKey: .keepsInode) ?? true
        mounts = try box.decodeIfPresent([String: Mount].self, forKey: .mounts) ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(folder, forKey: .folder)
        try box.encode(name, forKey: .name)
        try box.encode(device, forKey: .device)
        try box.encode(inode, forKey: .inode)
        try box.encode(folderDevice, forKey: .folderDevice)
        try box.encode(folderInode, forKey: .folderInode)
        if !hasReliableTime { try box.encode(false, forKey: .hasReliableTime) }
        if !keepsInode { try box.encode(false, forKey: .keepsInode) }
        if !mounts.isEmpty { try box.encode(mounts, forKey: .mounts) }
    }
}

/// The state of a partial file right after its transfer's last change.
///
/// The transfer sets the modification time some seconds back, so that a later write changes it even on file systems
/// with coarse times.
package struct FileStamp: Hashable, Codable, Sendable {
    /// The degree to which a file is still trusted, judged by its attributes.
    package enum Trust: Hashable, Sendable, CaseIterable {
        /// The bytes, and everything computed from them.
        case all
        /// Only the bytes: an attribute has changed, so they may have been rewritten and their time restored.
        case bytes
        /// Nothing for certain: only the time differs. Either bytes were written in place, or the file system changes
        /// times by itself, as davfs2, rclone and NFS do when they send data later.
        case nothingCertain
        case nothing
    }

    package var size: Int64
    /// Modification time in nanoseconds since 1970.
    package var modified: Int64
    /// Status change time in nanoseconds since 1970.
    package var changed: Int64

    package init(size: Int64, modified: Int64, changed: Int64) {
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// Returns the trust in a file with this stamp that now looks as `found`.
    package func trust(in found: FileStamp) -> Trust {
        guard size == found.size else { return .nothing }
        guard modified == found.modified else { return .nothingCertain }
        return changed == found.changed ? .all : .bytes
    }

    /// The modification time to set, in seconds since 1970.
    ///
    /// Even, since some file systems store only even seconds, and far enough back that a later change never rounds to
    /// it.
    package static func mark(at now: Int64) -> Int64 { (now - 4) & ~1 }
}

/// A rename that is about to happen. Committed before the rename, so that a crash in between can be resolved.
package struct PlacementIntent: Hashable, Codable, Sendable {
    /// Absolute final path.
    package var path: String
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Verified digests.
    package var verified: [Checksum]
    /// Computed digests that differ from the expected ones, where the policy allows it.
    package var mismatched: [Checksum]?
    /// Modification time of the placed file in nanoseconds since 1970. Absent until it is known.
    package var modified: Int64?
    /// The previous path of a file whose rename may not have happened.
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
