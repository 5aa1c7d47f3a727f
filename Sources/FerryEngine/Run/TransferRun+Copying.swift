// Ferry: FerryEngine
// Placing a file of another file system.

import FerryCore
import Foundation

extension TransferRun {
    /// Bytes that are copied between two looks at whether the run is to stop.
    private static let copiedAtOnce: Int64 = 32 << 20

    /// The file that gets the final name: the partial file, or a copy if the folder is of another file system.
    func source(
        _ partial: PartialFile, size: Int64, for folder: OpenFile
    ) async throws(TransferError) -> PlacedSource {
        if job.request.partialFolder != nil {
            let place = try await onDisk { system throws(DiskError) in try system.identity(of: folder) }
            if place.device != partial.facts.device { return try await copy(partial, size: size, to: folder) }
        }
        return PlacedSource(partial)
    }

    /// Copies the whole file beside its final name, and makes the copy durable.
    ///
    /// The journal knows of the copy before it exists, so that it never outlives the transfer.
    func copy(
        _ partial: PartialFile, size: Int64, to folder: OpenFile
    ) async throws(TransferError) -> PlacedSource {
        let name = PartialFile.copyName(of: job.id)
        let id = job.id
        facts.copy = folder.path.appendingPathPart(name)
        try await record()
        let path = facts.copy ?? ""
        let copy = try await onDisk { system throws(DiskError) in
            try PartialFile.removeCopy(path, of: id, disk: system)
            return try system.createFile(name, in: folder)
        }
        reached(.copyMade)
        var position: Int64 = 0
        while position < size {
            try checkStopping()
            let range = position..<min(size, position + Self.copiedAtOnce)
            do {
                try await disk.bulk.run { system throws(DiskError) in
                    try PartialFile.copy(range, of: partial.file, to: copy, disk: system)
                }
            } catch {
                throw error.transferError
            }
            position = range.upperBound
        }
        let made = try await onDisk { system throws(DiskError) in
            try system.syncData(copy)
            return try system.identity(of: copy)
        }
        reached(.copySynced)
        return PlacedSource(folder: folder, file: copy, name: name, device: made.device, inode: made.inode)
    }

    /// Removes a copy that an earlier try left, or this one will not need.
    func dropCopy() async throws(TransferError) {
        guard let path = facts.copy else { return }
        let id = job.id
        try await onDisk { system throws(DiskError) in try PartialFile.removeCopy(path, of: id, disk: system) }
        facts.copy = nil
    }
}
