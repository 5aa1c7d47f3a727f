import FerryDisk
import FerryEngine
import Foundation
import Synchronization

/// The durable state of each file: its contents at the last sync, and the renames in folders not synced since.
struct DiskMemory: Sendable {
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ identity: FileIdentity) {
            device = identity.device
            inode = identity.inode
        }
    }

    private struct Memory {
        var path: String
        var bytes: [UInt8]
        /// Modification time in nanoseconds since 1970.
        var modified: Int64
    }

    private struct Rename {
        var from: String
        var to: String
        var folder: Key
    }

    private var files: [Key: Memory] = [:]
    private var renames: [Rename] = []

    mutating func synced(_ identity: FileIdentity, path: String, bytes: [UInt8]) {
        files[Key(identity)] = Memory(
            path: files[Key(identity)]?.path ?? path, bytes: bytes, modified: identity.modified)
    }

    mutating func renamed(_ from: String, to: String, in folder: FileIdentity) {
        move(from, to)
        renames.append(Rename(from: from, to: to, folder: Key(folder)))
    }

    mutating func folderSynced(_ folder: FileIdentity) {
        renames.removeAll { $0.folder == Key(folder) }
    }

    /// Records that the current contents of all files and all renames are durable.
    mutating func allSynced() {
        for (key, memory) in files {
            let attributes = try? FileManager.default.attributesOfItem(atPath: memory.path)
            guard let bytes = FileManager.default.contents(atPath: memory.path),
                let modified = attributes?[.modificationDate] as? Date
            else { continue }
            files[key]?.bytes = [UInt8](bytes)
            files[key]?.modified = Int64(modified.timeIntervalSince1970 * 1e9)
        }
        renames = []
    }

    private mutating func move(_ from: String, _ to: String) {
        for (key, memory) in files where memory.path == from { files[key]?.path = to }
    }

    /// Reverts renames that are not durable, and restores the files' contents of their last sync.
    mutating func restore(_ loss: FaultyDisk.Loss) throws {
        for rename in renames.reversed() {
            try FileManager.default.moveItem(atPath: rename.to, toPath: rename.from)
            move(rename.to, rename.from)
        }
        renames = []
        for memory in files.values {
            guard let file = FileHandle(forUpdatingAtPath: memory.path) else { continue }
            let length = try file.seekToEnd()
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(memory.bytes))
            if loss == .bytes, length > UInt64(memory.bytes.count) { try file.truncate(atOffset: length) }
            try file.close()
            let modified = Date(timeIntervalSince1970: Double(memory.modified) / 1e9)
            try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: memory.path)
        }
    }
}

extension FaultyDisk {
    /// The effect of a power cut on unsynced files.
    package enum Loss: Hashable, Sendable, CaseIterable {
        /// Unsynced bytes and lengths are lost. Files have the length of their last sync.
        case bytesAndLengths
        /// Only unsynced bytes are lost. Files keep their length, with zeros in place of unsynced bytes.
        case bytes
    }

    /// Simulates the effect of a power cut on the files: unsynced bytes and renames in unsynced folders are lost.
    ///
    /// No transfer may be running.
    package func forgetUnsynced(_ loss: Loss = .bytesAndLengths) throws {
        try state.withLock { try $0.memory.restore(loss) }
    }
}
