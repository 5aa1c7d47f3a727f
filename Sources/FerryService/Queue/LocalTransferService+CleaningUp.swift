import FerryCore
import FerryEngine
import Foundation
import Logging

/// Files that earlier processes left, and files that could not be removed.
extension LocalTransferService {
    /// Seconds until files that could not be removed are looked at again.
    private static let cleanUpInterval = 300.0
    /// Seconds after which a folder is taken to hang.
    private static let patience = 5.0
    /// Folders whose names are found out at the same time.
    private static let namesAtOnce = 8

    /// Looks again later at files that cannot be removed now.
    func cleanUpLater() {
        setAlarm(Alarm(due: .now + .seconds(Self.cleanUpInterval * configuration.delayScale), cause: .cleanUp))
    }

    /// Removes what is left of transfers that are canceled, removed or ended.
    ///
    /// Returns at once. Transfers whose files are in the same folders follow each other; a folder that does not answer
    /// holds up these, and folders beside it that do not answer either.
    func cleanUp() {
        Task(name: "clean-up") {
            do throws(ServiceError) {
                let (records, remains) = try await journal.read { reader throws(ServiceError) in
                    (try reader.unfinishedCleanups(), try reader.remains(of: nil))
                }
                let now = Date()
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
            let clock = Task(name: "patience with folders") {
                try await Task.sleep(for: .seconds(Self.patience * configuration.delayScale))
                upkeep.folders.hangs(job.place)
                startCleanUps()
            }
            Task(name: "clean-up of folders") {
                await cleanUp(job.ids.sorted(), in: job.place)
                clock.cancel()
                upkeep.folders.ended(job.place)
                startCleanUps()
            }
        }
    }

    /// Finds out which names files have whose names were being changed, so that the service shows these from its first answer.
    ///
    /// Waits a second at most: what a folder that hangs would say is found out when it answers.
    func recoverNames() async throws(ServiceError) {
        let records = try await journal.read { reader throws(ServiceError) in try reader.unfinishedNames() }
        guard !records.isEmpty else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task(name: "names that were being changed") {
            // What waits behind folders that hang is found out by the clean-up that follows each start.
            await withTaskGroup(of: Void.self) { group in
                for (index, record) in records.enumerated() {
                    guard let place = CleanUpPlace(record, now: Date()) else { continue }
                    if index >= Self.namesAtOnce { await group.next() }
                    group.addTask { await self.cleanUp([record.id], in: place) }
                }
            }
            end.finish()
        }
        Task(name: "the longest wait for names") {
            try? await Task.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in ends {}
    }

    private func cleanUp(_ ids: [TransferID], in place: CleanUpPlace) async {
        let queue: DiskQueue
        // Asked before the turns are taken: an action on these transfers does not wait for a folder that hangs.
        do throws(DiskError) {
            queue = try await engine.leftoverDisk.queue(for: place.folders, ignoringErrors: !place.isRecorded)
        } catch {
            logger.warning(
                "files of canceled or removed transfers are left",
                metadata: ["transfers": "\(ids.count)", "error": "\(error.transferError)"])
            return cleanUpLater()
        }
        for id in ids where !isShuttingDown {
            // An action on the transfer comes first; what that leaves is found the next time.
            guard locks.transfers.take(id) else {
                cleanUpLater()
                continue
            }
            await cleanUp(id, on: queue)
            unlock(id)
        }
        schedule()
    }

    /// Cleans up after one transfer, whose turn is taken.
    private func cleanUp(_ id: TransferID, on queue: DiskQueue) async {
        do throws(ServiceError) {
            let (record, remains) = try await journal.read { reader throws(ServiceError) in
                (try reader.record(id), try reader.remains(of: [id]).first)
            }
            guard let record, !running.contains(id) else { return }
            guard !record.intent.isRemoval else {
                guard let remains else { return }
                let failures = try await finishRemoval(of: [remains], in: remains.session, on: queue)
                if let error = failures.first?.error { throw error }
                return
            }
            switch CleanUp(record, now: Date()) {
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
        // One that has changed since it was read is looked at again.
        if !isStored { cleanUpLater() }
    }
}

extension CleanUpPlace {
    init(_ leftovers: Leftovers) {
        self.init(folders: leftovers.folders, isRecorded: leftovers.isRecorded)
    }

    /// Nil if nothing is left to do.
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
