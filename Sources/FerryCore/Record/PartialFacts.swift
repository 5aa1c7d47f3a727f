/// Identifies the partial file of one transfer, so that no other file is ever taken for it.
package struct PartialFacts: Hashable, Codable, Sendable {
    /// Absolute path of the folder that holds it.
    package var folder: String
    package var name: String
    package var device: UInt64
    package var inode: UInt64
    package var folderDevice: UInt64
    package var folderInode: UInt64
    /// Whether its time of modification tells of changes; not where it has become another without a sign of a write.
    package var tellsChanges = true

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
        case folder, name, device, inode
        case folderDevice = "folder_device"
        case folderInode = "folder_inode"
        case tellsChanges = "tells_changes"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        folder = try box.decode(String.self, forKey: .folder)
        name = try box.decode(String.self, forKey: .name)
        device = try box.decode(UInt64.self, forKey: .device)
        inode = try box.decode(UInt64.self, forKey: .inode)
        folderDevice = try box.decode(UInt64.self, forKey: .folderDevice)
        folderInode = try box.decode(UInt64.self, forKey: .folderInode)
        tellsChanges = try box.decodeIfPresent(Bool.self, forKey: .tellsChanges) ?? true
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(folder, forKey: .folder)
        try box.encode(name, forKey: .name)
        try box.encode(device, forKey: .device)
        try box.encode(inode, forKey: .inode)
        try box.encode(folderDevice, forKey: .folderDevice)
        try box.encode(folderInode, forKey: .folderInode)
        if !tellsChanges { try box.encode(false, forKey: .tellsChanges) }
    }
}

/// How a partial file looked right after the last change that its transfer made to it.
///
/// Its time of modification is one that the transfer has set, some seconds back: a later write gives the
/// file another one, on file systems with coarse times too.
package struct FileStamp: Hashable, Codable, Sendable {
    /// What of a file still counts, by how it looks.
    package enum Trust: Hashable, Sendable, CaseIterable {
        /// Its bytes, and what was computed from them.
        case all
        /// Its bytes: something about the file was changed that may have been them, with their time put back.
        case bytes
        /// Nothing, as far as can be seen: its time alone is another one. Bytes were written in place, or the file system
        /// changes times by itself, as davfs2, rclone and NFS do when they send data later.
        case nothingCertain
        case nothing
    }

    package var size: Int64
    /// Nanoseconds since 1970 of the last modification.
    package var modified: Int64
    /// Nanoseconds since 1970 of the last change of the bytes or of anything that is known about the file.
    package var changed: Int64

    package init(size: Int64, modified: Int64, changed: Int64) {
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// What counts of a file that bore this stamp and looks as found.
    package func trust(in found: FileStamp) -> Trust {
        guard size == found.size else { return .nothing }
        guard modified == found.modified else { return .nothingCertain }
        return changed == found.changed ? .all : .bytes
    }

    /// The time that is given to a file at a moment, in seconds since 1970.
    ///
    /// It is even, as some file systems keep no other seconds, and far enough back that a later change never rounds to it.
    package static func mark(at now: Int64) -> Int64 { (now - 4) & ~1 }
}

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
