import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Removes files that earlier processes left or that could not be removed.
actor CleanUps {
    private let queue: LiveQueue
    private let journal: any Journal
    private let life: ServiceLife
    private let removals: Removals
    private let placed: PlacedFiles
    private let configuration: ServiceConfiguration
    /// Folders with files to remove.
    private var folders = CleanUpQueue()
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Time after which a folder counts as hanging, in seconds.
    private static let patience = 5.0
    /// Maximum number of concurrent file name checks.
    private static let namesAtOnce = 8

    init(
        _ queue: LiveQueue, journal: any Journal, life: ServiceLife, removals: Removals, placed: PlacedFiles,
        _ configuration: ServiceConfiguration
    ) {
        self.queue = queue
        self.journal = journal
        self.life = life
        self.removals = removals
        self.placed = placed
        self.configuration = configuration
    }

    /// Removes the remaining files of canceled, removed or finished transfers.
    ///
    /// Returns once their folders are known. Transfers with files in the same folders are cleaned up one after another.
    /// A folder that does not respond delays only these, and unresponsive folders beside it.
    func begin() async {
        let found = try? await journal.read { reader throws(ServiceError) in
            (try reader.unfinishedCleanups(), try reader.remains(of: nil))
        }
        guard let (records, remains) = found else { return }
        let now = queue.clock.wall
        for record in records {
            if let place = CleanUpPlace(record, now: now) { folders.add([record.id], in: place) }
        }
        for one in remains { folders.add([one.id], in: CleanUpPlace(Leftovers(one))) }
        startNext()
    }

    private func startNext() {
        while !life.isEnding, let job = folders.next() {
            let timer = Task(name: "patience with folders") {
                try await queue.clock.sleep(for: .seconds(Self.patience * configuration.delayScale))
                folders.hangs(job.place)
                startNext()
            }
            Task(name: "clean-up of folders") {
                await cleanUp(job.ids.sorted(), in: job.place)
                timer.cancel()
                folders.ended(job.place)
                startNext()
            }
        }
    }

    /// Determines the names of files that were being renamed, so that the first reply already shows them.
    ///
    /// Waits one second at most. Names in a hanging folder are determined when it responds.
    func recoverNames() async throws(ServiceError) {
        let records = try await journal.read { reader throws(ServiceError) in try reader.unfinishedNames() }
        guard !records.isEmpty else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        let clock = queue.clock
        Task(name: "names that were being changed") {
            // The cleanup that follows each start handles files behind hanging folders.
            await withTaskGroup(of: Void.self) { group in
                for (index, record) in records.enumerated() {
                    guard let place = CleanUpPlace(record, now: clock.wall) else { continue }
                    if index >= Self.namesAtOnce { await group.next() }
                    group.addTask { await self.cleanUp([record.id], in: place) }
                }
            }
            end.finish()
        }
        Task(name: "the longest wait for names") {
            try? await clock.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in ends {}
    }

    private func cleanUp(_ ids: [TransferID], in place: CleanUpPlace) async {
        let disk: DiskQueue
        // Before holding the transfers: an action on these transfers must not wait for a hanging folder.
        do throws(DiskError) {
            disk = try await queue.engine.leftoverDisk.queue(for: place.folders, ignoringErrors: !place.isRecorded)
        } catch {
            configuration.logger.warning(
                "files of canceled or removed transfers are left",
                metadata: ["transfers": "\(ids.count)", "error": "\(error.transferError)"])
            return queue.cleanUpLater()
        }
        for id in ids where !life.isEnding {
            // An attempt or an action takes precedence. The next cleanup handles the leftovers.
            guard !queue.isBusy(id), !queue.held.contains(id) else {
                queue.cleanUpLater()
                continue
            }
            queue.take(.hold([id], .files))
            await cleanUp(id, on: disk)
            queue.take(.release([id], .files))
        }
    }

    /// Cleans up after one held transfer.
    private func cleanUp(_ id: TransferID, on disk: DiskQueue) async {
        do throws(ServiceError) {
            let (record, remains) = try await journal.read { reader throws(ServiceError) in
                (try reader.record(id), try reader.remains(of: [id]).first)
            }
            guard let record else { return }
            guard !record.intent.isRemoval else {
                guard let remains else { return }
                if let error = try await removals.finishRemoval(of: [remains], in: remains.session, on: disk)[id] {
                    throw error
                }
                return
            }
            switch CleanUp(record, now: queue.clock.wall) {
            case .none: return
            case .finishCancel: try await removals.finishCancel(record, on: disk)
            case .findName: try await placed.recoverName(of: record, on: disk)
            case .removePartialFile(let partial): try await remove(partial, of: record, on: disk)
            }
        } catch {
            guard !life.isEnding else { return }
            configuration.logger.warning(
                "files of a transfer are left", metadata: ["transfer": "\(id)", "error": "\(error)"])
            queue.cleanUpLater()
        }
    }

    private func remove(
        _ partial: PartialFacts, of record: TransferRecord, on disk: DiskQueue
    ) async throws(ServiceError) {
        try await queue.engine.files.removePartialFile(partial, on: disk)
        var cleaned = record
        cleaned.facts.partial = nil
        cleaned.facts.ranges.removeAll()
        let facts = cleaned
        let isStored = try await journal.commit { transaction throws(ServiceError) in
            try transaction.updateFacts(of: facts)
        }
        // A transfer that changed since it was read is checked again.
        if !isStored { queue.cleanUpLater() }
    }
}
