// Ferry: FerryServer
// What the system knows of a path.

import Foundation

/// What the system knows of a path; a symbolic link is itself.
struct FileFacts: Hashable {
    let device: UInt64
    let inode: UInt64
    let owner: UInt32
    /// Permission bits.
    let mode: UInt32
    let isFolder: Bool
    let isSocket: Bool

    /// Nil if there is nothing, or nothing can be seen.
    init?(_ path: String) {
        guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        func number(_ key: FileAttributeKey) -> UInt64 { (found[key] as? NSNumber)?.uint64Value ?? 0 }
        device = number(.systemNumber)
        inode = number(.systemFileNumber)
        owner = UInt32(number(.ownerAccountID))
        mode = UInt32(number(.posixPermissions))
        let type = found[.type] as? FileAttributeType
        isFolder = type == .typeDirectory
        isSocket = type == .typeSocket
    }
}
