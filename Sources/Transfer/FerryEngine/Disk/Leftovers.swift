package import FerryCore
package import FerryDisk
package import FerryRules
import Foundation

/// Files that a transfer may have left on disk. Used when the transfer is removed.
package struct Leftovers: Sendable {
    package let id: TransferID
    package let partial: PartialFacts?
    /// Path of a copy on its way to the final name.
    package let copy: String?
    /// The placed file to remove too.
    package let placed: PlacementIntent?
    /// A placement that may have been interrupted.
    package let intended: PlacementIntent?
    /// The folder of a partial file that may exist without a record.
    package let partialFolder: String?

    package init(
        id: TransferID, partial: PartialFacts?, copy: String?, placed: PlacementIntent?, intended: PlacementIntent?,
        partialFolder: String?
    ) {
        self.id = id
        self.partial = partial
        self.copy = copy
        self.placed = placed
        self.intended = intended
        self.partialFolder = partialFolder
    }

    /// Whether any file is recorded.
    package var isRecorded: Bool { partial != nil || copy != nil || placed != nil }

    /// The folders that have to respond before the removal.
    package var folders: Set<String> {
        Set([partial?.folder ?? partialFolder, copy?.folderPart, placed?.path.folderPart].compactMap { $0 })
    }

    fileprivate func remove(_ disk: any DiskSystem) throws(DiskError) {
        if let intended { try intended.undoRename(of: id, partial, disk) }
        if let partial {
            try PartialFile.remove(partial, disk: disk)
        } else if let partialFolder, let folder = try Self.open(partialFolder, disk) {
            try PartialFile.removeUnrecorded(of: id, in: folder, disk: disk)
        }
        if let copy { try PartialFile.removeCopy(copy, of: id, disk: disk) }
        if let placed, let folder = try Self.open(placed.path.folderPart, disk),
            try PlacedFile.find(placed, in: folder, disk: disk)
        {
            try disk.remove(placed.path.lastPathPart, in: folder)
        }
    }

    /// Opens a folder, or returns `nil` if it does not exist.
    private static func open(_ path: String, _ disk: any DiskSystem) throws(DiskError) -> OpenFile? {
        do {
            return try disk.openFolder(path)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return nil
        }
    }
}

extension TransferFiles {
    /// Number of folders handled in parallel.
    private static let foldersAtOnce = 8

    /// Removes the files that transfers left, each only if it still belongs to its transfer.
    ///
    /// - Parameter queue: Queue for the work. `nil` uses each folder's own queue.
    /// - Returns: The errors of failed removals, by transfer.
    package func remove(
        _ leftovers: [Leftovers], on queue: DiskQueue? = nil
    ) async -> [TransferID: ServiceError] {
        await withTaskGroup(of: [TransferID: ServiceError].self) { tasks in
            var groups = Dictionary(grouping: leftovers, by: \.folders).makeIterator()
            func addNext() {
                guard let (folders, group) = groups.next() else { return }
                let lane = queue ?? disk.at(folders.min().map { .folder($0) } ?? .anywhere)
                tasks.addTask { await Self.remove(group, on: lane) }
            }
            for _ in 0..<Self.foldersAtOnce { addNext() }
            var failures: [TransferID: ServiceError] = [:]
            while let some = await tasks.next() {
                failures.merge(some) { first, _ in first }
                addNext()
            }
            return failures
        }
    }

    private static func remove(_ leftovers: [Leftovers], on queue: DiskQueue) async -> [TransferID: ServiceError] {
        let result = await queue.result { system throws(DiskError) in
            var failures: [TransferID: ServiceError] = [:]
            for one in leftovers {
                do throws(DiskError) { try one.remove(system) } catch { failures[one.id] = error.transferError }
            }
            return failures
        }
        switch result {
        case .success(let failures): return failures
        case .failure(let error):
            return Dictionary(uniqueKeysWithValues: leftovers.map { ($0.id, error.transferError) })
        }
    }
}

/// Access to files of earlier processes, in folders that may not respond. A hanging call delays only other leftovers.
package struct LeftoverDisk: Sendable {
    private let disk: DiskQueue

    init(disk: DiskQueue) { self.disk = disk }

    /// Returns the queue for leftovers in some folders, once each folder has responded or is known to be missing.
    ///
    /// A later hanging call delays only leftovers on the same file systems.
    /// - Parameter ignoringErrors: Whether folders with an error count as missing.
    package func queue(for folders: Set<String>, ignoringErrors: Bool) async throws(DiskError) -> DiskQueue {
        var devices: Set<UInt64> = []
        for folder in folders.sorted() {
            let inspected = await disk.at(.folder(folder)).result { system throws(DiskError) -> UInt64? in
                _ = try system.openFolder(folder)
                return system.device(of: folder)
            }
            switch inspected {
            case .success(let device?): devices.insert(device)
            case .success(nil): break
            case .failure(let error):
                guard ignoringErrors || error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
            }
        }
        return disk.at(.leftovers(devices))
    }
}
