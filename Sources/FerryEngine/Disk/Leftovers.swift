package import FerryCore
import Foundation

/// What a transfer that is being forgotten may have on disk.
package struct Leftovers: Sendable {
    package let id: TransferID
    package let partial: PartialFacts?
    /// Path of a copy on its way to the final name.
    package let copy: String?
    /// The file that goes too.
    package let placed: PlacementIntent?
    /// Where a partial file may be that was never recorded.
    package let partialFolder: String?

    package init(
        id: TransferID, partial: PartialFacts?, copy: String?, placed: PlacementIntent?, partialFolder: String?
    ) {
        self.id = id
        self.partial = partial
        self.copy = copy
        self.placed = placed
        self.partialFolder = partialFolder
    }

    /// Whether anything is known to be there.
    package var isRecorded: Bool { partial != nil || copy != nil || placed != nil }

    /// The folders that have to answer before these are removed.
    package var folders: Set<String> {
        Set([partial?.folder ?? partialFolder, copy?.folderPart, placed?.path.folderPart].compactMap { $0 })
    }

    fileprivate func remove(_ disk: any DiskSystem) throws(DiskError) {
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

    /// Opens a folder; nil if it is gone.
    private static func open(_ path: String, _ disk: any DiskSystem) throws(DiskError) -> OpenFile? {
        do {
            return try disk.openFolder(path)
        } catch  where error.errno == ENOENT || error.errno == ENOTDIR {
            return nil
        }
    }
}

extension Engine {
    /// Folders that are looked at side by side.
    private static let foldersAtOnce = 8

    /// Removes what transfers have left, each as far as it is still theirs.
    ///
    /// - Parameter queue: its threads do the work; nil is each folder's own queue.
    /// - Returns: Why that failed for some.
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

/// Where what earlier processes left is looked at, in folders that may not answer: what hangs there holds up nothing else.
package struct LeftoverDisk: Sendable {
    private let disk: DiskQueue

    init(disk: DiskQueue) { self.disk = disk }

    /// The queue for what is left in some folders, once each of them has answered or is known not to be there.
    ///
    /// What hangs there later holds up what is left on the same file systems, and nothing else.
    /// - Parameter ignoringErrors: whether folders that give an error count as folders that are not there.
    package func queue(for folders: Set<String>, ignoringErrors: Bool) async throws(DiskError) -> DiskQueue {
        var devices: Set<UInt64> = []
        for folder in folders.sorted() {
            let looked = await disk.at(.folder(folder)).result { system throws(DiskError) -> UInt64? in
                _ = try system.openFolder(folder)
                return system.device(of: folder)
            }
            switch looked {
            case .success(let device?): devices.insert(device)
            case .success(nil): break
            case .failure(let error):
                guard ignoringErrors || error.errno == ENOENT || error.errno == ENOTDIR else { throw error }
            }
        }
        return disk.at(.leftovers(devices))
    }
}
