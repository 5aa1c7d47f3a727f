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
    }
}
