// Ferry: FerryCore
// Which file on disk is a transfer's partial file.

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
