import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Cleaning up files that earlier processes left or that could not be removed.
extension LocalTransferService {
    /// Delay before retrying to remove files, in seconds.
    private static let cleanUpInterval = 300.0
    /// Time after which a folder counts as hanging, in seconds.
    private static let patience = 5.0
    /// Maximum number of concurrent file name checks.
    private static let namesAtOnce = 8

    /// Retries later to remove files that cannot be removed at the moment.
    func cleanUpLater() {
        setAlarm(Alarm(due: clock.now + .seconds(Self.cleanUpInterval * configuration.delayScale), cause: .cleanUp))
    }

    /// Removes the remaining files of canceled, removed or finished transfers.
    ///
    /// Returns at once. Transfers with files in the same folders are cleaned up one after another. A folder that does
    /// not respond delays only these, and unresponsive folders beside it.
    func cleanUp() {
        Task(name: "clean-up") {
            do throws(ServiceError) {
                let (records, remains) = try await journal.read { reader throws(ServiceError) in
                    (try reader.unfinishedCleanups(), try reader.remains(of: nil))
                }
                let now = clock.wall
                for record in records {
                    if let place = CleanUpPlace(record, now: now) { upkeep.folders.add([record.id], in: place) }
                }
                for one in remains { upkeep.folders.add([one.id], in: CleanUpPlace(Leftovers(one))) }
                startCleanUps()
            } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    private func startCleanUps() {
        while !isShuttingDown, let job = upkeep.folders.next() {
            let timer = Task(name: "patience with folders") {
                try await clock.sleep(for: .seconds(Self.patience * configuration.delayScale))
                upkeep.folders.hangs(job.place)
                startCleanUps()
            }
            Task(name: "clean-up of folders") {
                await cleanUp(job.ids.sorted(), in: job.place)
                timer.cancel()
                upkeep.folders.ended(job.place)
                startCleanUps()
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
        let queue: DiskQueue
        // Before holding the transfers: an action on these transfers must not wait for a hanging folder.
        do throws(DiskError) {
            queue = try await engine.leftoverDisk.queue(for: place.folders, ignoringErrors: !place.isRecorded)
        } catch {
            logger.warning(
                "files of canceled or removed transfers are left",
                metadata: ["transfers": "\(ids.count)", "error": "\(error.transferError)"])
            return cleanUpLater()
        }
        for id in ids where !isShuttingDown {
            // An attempt or an action takes precedence. The next cleanup handles the leftovers.
            guard !self.queue.isBusy(id), !self.queue.held.contains(id) else {
                cleanUpLater()
                continue
            }
            take(.hold([id], .files))
            await cleanUp(id, on: queue)
            take(.release([id], .files))
        }
    }

    /// Cleans up after one held transfer.
    private func cleanUp(_ id: TransferID, on queue: DiskQueue) async {
        do throws(ServiceError) {
            let (record, remains) = try await journal.read { reader throws(ServiceError) in
                (try reader.record(id), try reader.remains(of: [id]).first)
            }
            guard let record else { return }
            guard !record.intent.isRemoval else {
                guard let remains else { return }
                if let error = try await finishRemoval(of: [remains], in: remains.session, on: queue)[id] {
                    throw error
                }
                return
            }
            switch CleanUp(record, now: clock.wall) {
            case .none: return
            case .finishCancel: try await finishCancel(record, on: queue)
            case .findName: try await placed.recoverName(of: record, on: queue)
            case .removePartialFile(let partial): try await remove(partial, of: record, on: queue)
            }
        } catch {
            guard !isShuttingDown else { return }
            noteFailure(error)
            logger.warning("files of a transfer are left", metadata: ["transfer": "\(id)", "error": "\(error)"])
            cleanUpLater()
        }
    }

    private func remove(
        _ partial: PartialFacts, of record: TransferRecord, on queue: DiskQueue
    ) async throws(ServiceError) {
        try await engine.removePartialFile(partial, on: queue)
        var cleaned = record
        cleaned.facts.partial = nil
        cleaned.facts.ranges.removeAll()
        let facts = cleaned
        let isStored = try await journal.commit { transaction throws(ServiceError) in
            try transaction.updateFacts(of: facts)
        }
        // A transfer that changed since it was read is checked again.
        if !isStored { cleanUpLater() }
    }
}

extension CleanUpPlace {
    init(_ leftovers: Leftovers) {
        self.init(folders: leftovers.folders, isRecorded: leftovers.isRecorded)
    }

    /// Returns `nil` if there is nothing to clean up.
    init?(_ record: TransferRecord, now: Date) {
        switch CleanUp(record, now: now) {
        case .none: return nil
        case .finishCancel: self.init(Leftovers(record))
        case .findName:
            let former = record.facts.placement?.formerPath?.folderPart
            self.init(folders: Set([former].compactMap { $0 }), isRecorded: true)
        case .removePartialFile(let partial):
            self.init(folders: [partial.folder], isRecorded: true)
        }
    }
}
