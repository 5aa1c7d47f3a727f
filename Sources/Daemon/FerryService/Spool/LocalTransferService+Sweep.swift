import FerryCore
import FerryEngine
import FerryQueue
import Foundation
import Logging

/// Removing spool files that no client has collected in time.
extension LocalTransferService {
    /// Seconds between spool sweeps.
    private static let sweepInterval = 3600.0
    /// How long a handed-over partial file is kept, in seconds.
    private static let releasedAge = 7.0 * 86_400

    /// Removes uncollected results, and spool files that belong to no transfer.
    ///
    /// - Parameter limit: Files of transfers created later are kept, because these may not be stored yet.
    private func sweep(madeBefore limit: Date) async throws(ServiceError) {
        let now = clock.wall
        let oldest = now.addingTimeInterval(-configuration.resultAge)
        let outdated = try await journal.read { reader throws(ServiceError) in
            try reader.spooledTransfers(endedBefore: oldest)
        }
        if !outdated.isEmpty {
            logger.notice("dropping results that nobody took", metadata: ["count": "\(outdated.count)"])
            _ = try await act(.remove, on: TransferSelection(ids: outdated))
        }
        let spool = spoolFolder
        let disk = engine.disk.at(.folder(spool))
        let listed = await disk.result { _ throws(DiskError) in SpoolFile.all(in: spool) }
        guard case .success(let files?) = listed else { return }
        watchSpool()
        for file in files {
            switch file.kind {
            case .released:
                guard now.timeIntervalSince(file.changedAt) > Self.releasedAge else { continue }
            case .ofTransfer:
                let id = file.transfer
                guard Int64(id.rawValue >> 20) < Int64(limit.timeIntervalSince1970 * 1000),
                    try await journal.read({ reader throws(ServiceError) in try reader.record(id) }) == nil
                else { continue }
            }
            _ = await disk.result { _ throws(DiskError) in file.remove() }
        }
    }

    /// Sweeps files left by an earlier process. Returns at once.
    func sweepAtStart() { sweepInBackground(madeBefore: life.startedAt) }

    /// Sweeps again after the service has run for a while.
    func sweepAgain() { sweepInBackground(madeBefore: clock.wall.addingTimeInterval(-Self.sweepInterval)) }

    private func sweepInBackground(madeBefore limit: Date) {
        Task(name: "sweep of the spool") {
            do throws(ServiceError) { try await sweep(madeBefore: limit) } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    /// Sets the alarm for the next spool sweep.
    func watchSpool() { setAlarm(Alarm(due: clock.now + .seconds(Self.sweepInterval), cause: .sweep)) }
}
