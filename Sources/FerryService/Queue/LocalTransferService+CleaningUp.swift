// Ferry: FerryService
// Files that earlier processes left, and files that could not be removed.

import FerryCore
import FerryEngine
import FerryStore
import Foundation
import Logging

extension LocalTransferService {
    /// Seconds until files that could not be removed are looked at again.
    private static let cleanUpInterval = 300.0

    /// Looks again later at files that cannot be removed now.
    func cleanUpLater() {
        setAlarm(Alarm(due: .now + .seconds(Self.cleanUpInterval * configuration.delayScale), cause: .cleanUp))
    }

    /// Removes what is left of transfers that are canceled, removed or ended.
    ///
    /// Returns at once. Transfers whose files are in the same folders follow each other; a folder that does not answer
    /// holds up these alone.
    func cleanUp() {
        Task(name: "clean-up") {
            do throws(TransferError) {
                let (records, remains) = try await journal.read { reader throws(TransferError) in
                    (try reader.unfinishedCleanups(), try reader.remains(of: nil))
                }
                let now = Date()
                var work: [CleanUpPlace: [TransferID]] = [:]
                for record in records {
                    if let place = CleanUpPlace(record, now: now) { work[place, default: []].append(record.id) }
                }
                for one in remains { work[CleanUpPlace(Leftovers(one)), default: []].append(one.id) }
                for (place, ids) in work {
                    Task(name: "clean-up of folders") { await self.cleanUp(ids, in: place) }
                }
            } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    /// Finds out which names files have whose names were being changed, so that the service shows these from its first answer.
    ///
    /// Waits a second at most: what a folder that hangs would say is found out when it answers.
    func recoverNames() async throws(TransferError) {
        let records = try await journal.read { reader throws(TransferError) in try reader.unfinishedNames() }
        guard !records.isEmpty else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task(name: "names that were being changed") {
            await withTaskGroup(of: Void.self) { group in
                for record in records {
                    guard let place = CleanUpPlace(record, now: Date()) else { continue }
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
        // Asked before the turns are taken: an action on these transfers does not wait for a folder that hangs.
        for folder in place.folders.sorted() {
            guard let error = await engine.leftoverDisk.obstacle(at: folder), place.isRecorded else { continue }
            logger.warning(
                "files of canceled or removed transfers are left",
                metadata: ["transfers": "\(ids.count)", "error": "\(error.transferError)"])
            return cleanUpLater()
        }
        for id in ids where !isShuttingDown {
            // An action on the transfer comes first; what that leaves is found the next time.
            guard turns.take(id) else {
                cleanUpLater()
                continue
            }
            await cleanUp(id)
            leaveTurn(id)
        }
        schedule()
    }

    /// Cleans up after one transfer, whose turn is taken.
    private func cleanUp(_ id: TransferID) async {
        do throws(TransferError) {
            let (record, remains) = try await journal.read { reader throws(TransferError) in
                (try reader.record(id), try reader.remains(of: [id]).first)
            }
            guard let record, live[id] == nil else { return }
            guard !record.intent.isRemoval else {
                guard let remains else { return }
                let failures = try await finishRemoval(
                    of: [remains], in: remains.session, on: engine.leftoverDisk.queue)
                if let error = failures.first?.error { throw error }
                return
            }
            switch CleanUp(record, now: Date()) {
            case .none: return
            case .finishCancel: try await finishCancel(record, on: engine.leftoverDisk.queue)
            case .findName: try await recoverName(of: record)
            case .removePartialFile(let partial): try await remove(partial, of: record)
            }
        } catch {
            guard !isShuttingDown else { return }
            noteFailure(error)
            logger.warning("files of a transfer are left", metadata: ["transfer": "\(id)", "error": "\(error)"])
            cleanUpLater()
        }
    }

    private func remove(_ partial: PartialFacts, of record: TransferRecord) async throws(TransferError) {
        try await engine.removePartialFile(partial, on: engine.leftoverDisk.queue)
        var cleaned = record.facts
        cleaned.partial = nil
        cleaned.ranges.removeAll()
        let (id, facts) = (record.id, cleaned)
        try await journal.commit { transaction throws(TransferError) in try transaction.updateFacts(id, facts) }
    }
}

/// Where files of transfers may be that are to be removed.
private struct CleanUpPlace: Hashable {
    /// The folders that have to answer.
    let folders: Set<String>
    /// Whether something is known to be there; otherwise a folder that gives an error holds nothing that anybody knows of.
    let isRecorded: Bool

    init(_ leftovers: Leftovers) {
        self.init(folders: leftovers.folders, isRecorded: leftovers.isRecorded)
    }

    private init(folders: Set<String>, isRecorded: Bool) {
        self.folders = folders
        self.isRecorded = isRecorded
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
