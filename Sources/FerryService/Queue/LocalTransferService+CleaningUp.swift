// Ferry: FerryService
// Files that earlier processes left, and those that could not be removed.

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
    /// Nobody waits for it. Transfers whose files are in the same folders follow each other; a folder that does not answer
    /// holds up these alone.
    func cleanUp() {
        Task(name: "clean-up") {
            do throws(TransferError) {
                let (records, remains) = try await journal.read { reader throws(TransferError) in
                    (try reader.unfinishedCleanups(), try reader.remains(of: nil))
                }
                let now = Date()
                var work: [Set<String>: [TransferID]] = [:]
                for record in records {
                    let step = CleanUp(record, now: now)
                    if step != .none { work[step.folders(of: record), default: []].append(record.id) }
                }
                for one in remains { work[Leftovers(one).folders, default: []].append(one.id) }
                for (folders, ids) in work {
                    Task(name: "clean-up of folders") { await self.cleanUp(ids, in: folders) }
                }
            } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    private func cleanUp(_ ids: [TransferID], in folders: Set<String>) async {
        // Asked before the turns are taken: whoever acts upon these transfers does not wait for a folder that hangs.
        for folder in folders.sorted() {
            guard let error = await engine.leftoverDisk.obstacle(at: folder) else { continue }
            logger.warning(
                "files of canceled or removed transfers are left",
                metadata: ["transfers": "\(ids.count)", "error": "\(error.transferError)"])
            return cleanUpLater()
        }
        for id in ids where !isShuttingDown {
            // Whoever acts upon it comes first; what that leaves is found the next time.
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
