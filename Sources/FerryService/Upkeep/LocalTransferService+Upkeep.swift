// Ferry: FerryService
// What is done while the service rests.

import FerryCore
import FerryStore
import Foundation

/// Knows whether there is something to be tidied up, and whether that is planned. Owned by the service.
struct Upkeep: Sendable {
    /// Seconds of rest before anything is done.
    static let rest = 30.0

    /// The journal's revision when it was last tidied up.
    private var tidied: UInt64?
    private var isPlanned = false

    /// Notes that nothing runs; true if an alarm is to be set.
    mutating func plan(revision: UInt64) -> Bool {
        guard !isPlanned, tidied != revision else { return false }
        isPlanned = true
        return true
    }

    /// What the alarm was for is done, or left to a later one.
    mutating func rang() { isPlanned = false }

    /// Everything is tidied up that was there at a revision.
    mutating func isTidy(at revision: UInt64) { tidied = revision }
}

extension LocalTransferService {
    /// Plans to tidy up if nothing runs.
    func planUpkeep() {
        guard live.isEmpty, !isShuttingDown, upkeep.plan(revision: journal.revision) else { return }
        setAlarm(Alarm(due: .now + .wait(seconds: Upkeep.rest * configuration.delayScale), cause: .upkeep))
    }

    /// Forgets what opens something for the users of transfers that failed so long ago that their bytes are forgotten too.
    private func forgetOldSecrets() async throws(TransferError) {
        let moment = Date().addingTimeInterval(-CleanUp.lifetime)
        var last = TransferID(rawValue: 0)
        while !isShuttingDown {
            let after = last
            let records = try await journal.read { reader throws(TransferError) in
                try reader.failedWithSecrets(before: moment, after: after)
            }
            guard let end = records.last else { return }
            last = end.id
            try await journal.commit(ofRunning: true) { transaction throws(TransferError) in
                for record in records {
                    // A retry that came in between needs them.
                    guard var current = try transaction.record(record.id), current.outcome != nil else { continue }
                    let old = current.request
                    current.forgetSecrets()
                    if current.request != old { try transaction.update(current) }
                }
            }
        }
    }

    /// Lets old events and secrets go and gives room back, as long as nothing runs.
    func tidyUp() {
        // What runs now plans it again when it ends.
        guard live.isEmpty, !isShuttingDown else { return upkeep.rang() }
        Task(name: "upkeep of the journal") {
            let revision = journal.revision
            do throws(TransferError) {
                try await trimEvents()
                try await forgetOldSecrets()
                while live.isEmpty, !isShuttingDown, await journal.reclaim() {}
                if live.isEmpty {
                    upkeep.isTidy(at: revision)
                    configuration.atRest()
                }
            } catch {
                // What fails is not tried again before the journal has changed.
                upkeep.isTidy(at: revision)
                if !isShuttingDown { noteFailure(error) }
            }
            // One at a time: it is planned again only once it is done, for what has changed meanwhile.
            upkeep.rang()
            planUpkeep()
        }
    }
}
