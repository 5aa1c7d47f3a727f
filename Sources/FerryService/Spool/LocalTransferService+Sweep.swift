// Ferry: FerryService
// Files of the spool that nobody takes any more.

import FerryCore
import FerryEngine
import FerryStore
import Foundation
import Logging

extension LocalTransferService {
    /// Seconds between two looks at the spool.
    private static let sweepInterval = 3600.0
    /// Seconds for which a partial file waits that was handed over.
    private static let releasedAge = 7.0 * 86_400

    /// Drops results that were not taken in time, and files of the spool that belong to nothing.
    ///
    /// - Parameter age: files of transfers that are younger stay: they may be about to be stored.
    func sweep(olderThan age: Double) async throws(TransferError) {
        let now = Date()
        let oldest = now.addingTimeInterval(-configuration.resultAge)
        let outdated = try await journal.read { reader throws(TransferError) in
            try reader.spooledTransfers(endedBefore: oldest)
        }
        if !outdated.isEmpty {
            logger.notice("dropping results that nobody took", metadata: ["count": "\(outdated.count)"])
            _ = try await act(.remove, on: TransferSelection(ids: outdated))
        }
        guard let files = await SpoolFile.all(in: spoolFolder) else { return }
        setAlarm(Alarm(due: .now + .seconds(Self.sweepInterval), cause: .sweep))
        for file in files {
            switch file.kind {
            case .released:
                guard now.timeIntervalSince(file.changedAt) > Self.releasedAge else { continue }
            case .ofTransfer:
                let id = file.transfer
                let isYoung = Double(id.rawValue >> 20) / 1000 > now.timeIntervalSince1970 - age
                guard !isYoung || age == 0,
                    try await journal.read({ reader throws(TransferError) in try reader.record(id) }) == nil
                else { continue }
            }
            await file.remove()
        }
    }

    /// The sweep of a service that has been at work for a while.
    func sweepAgain() async {
        do throws(TransferError) { try await sweep(olderThan: Self.sweepInterval) } catch { noteFailure(error) }
    }

    /// Sets the first alarm of a spool that has just been made.
    func watchSpool() { setAlarm(Alarm(due: .now + .seconds(Self.sweepInterval), cause: .sweep)) }
}
