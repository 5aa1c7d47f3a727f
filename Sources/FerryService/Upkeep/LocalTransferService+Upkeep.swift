import CFerrySystem
import Dispatch
import FerryCore
import FerryEngine
import Foundation

/// Knows whether there is something to be tidied up, and whether that is planned. Owned by the service.
struct Upkeep: Sendable {
    /// Seconds of rest before anything is done.
    static let rest = 30.0

    /// The journal's revision when it was last tidied up.
    private var tidied: UInt64?
    private var isPlanned = false
    /// Outcomes since old events were let go.
    private var outcomes = 0
    /// Folders with files that are to be removed.
    var folders = CleanUpQueue()
    /// Whether the spool's folder is there.
    var isSpoolOpen = false

    /// Notes that nothing runs; true if an alarm is to be set.
    mutating func plan(revision: UInt64) -> Bool {
        guard !isPlanned, tidied != revision else { return false }
        isPlanned = true
        return true
    }

    /// What the alarm was for is done, or left to a later one.
    mutating func rang() { isPlanned = false }

    /// Counts an outcome; true after every thousand of them.
    mutating func countOutcome() -> Bool {
        outcomes += 1
        guard outcomes >= 1000 else { return false }
        outcomes = 0
        return true
    }

    /// Everything is tidied up that was there at a revision.
    mutating func isTidy(at revision: UInt64) { tidied = revision }
}

extension LocalTransferService {
    /// Plans to tidy up if nothing runs.
    func planUpkeep() {
        guard running.isEmpty, !isShuttingDown, upkeep.plan(revision: journal.revision) else { return }
        setAlarm(Alarm(due: .now + .wait(seconds: Upkeep.rest * configuration.delayScale), cause: .upkeep))
    }

    /// Forgets what opens something for the users of transfers that have ended: of failed ones, once their bytes are forgotten
    /// too. What a user has given anew to fetch a file again stays.
    func forgetOldSecrets() async throws(ServiceError) {
        let ends: [(JournalPhase, before: Date?)] = [
            (.succeeded, nil), (.canceled, nil), (.failed, Date().addingTimeInterval(-CleanUp.lifetime)),
        ]
        for (phase, moment) in ends {
            var last: TransferID? = TransferID(rawValue: 0)
            while let after = last, !isShuttingDown {
                last = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    try transaction.forgetSecrets(in: phase, endedBefore: moment, after: after)
                }
            }
        }
    }

    /// Lets the journal give rows of an earlier version what decisions depend on: an action upon many need not do it then.
    func completeOldRows() async throws(ServiceError) {
        var last: TransferID? = TransferID(rawValue: 0)
        while let after = last, !isShuttingDown {
            last = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                try transaction.completeRows(after: after)
            }
        }
    }

    /// Lets old events and secrets go and gives room back, as long as nothing runs.
    func tidyUp() {
        // What runs now plans it again when it ends.
        guard running.isEmpty, !isShuttingDown else { return upkeep.rang() }
        Task(name: "upkeep of the journal") {
            let revision = journal.revision
            do throws(ServiceError) {
                try await trimEvents()
                try await forgetOldSecrets()
                while running.isEmpty, !isShuttingDown, await journal.reclaim() {}
                if running.isEmpty {
                    upkeep.isTidy(at: revision)
                    await journal.releaseMemory()
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

    // MARK: Events that are not acknowledged

    /// Lets events go that waited too long, or are too many.
    func trimEvents() async throws(ServiceError) {
        let now = Date()
        let sessions = try await journal.read { reader throws(ServiceError) in try reader.sessionsWithEvents() }
        for session in sessions {
            let limits = configuration.retention.limits(isAcknowledged: isRegistered(session), now: now)
            var hasMore = true
            while hasMore, !isShuttingDown {
                hasMore = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    try transaction.trimEvents(of: session, limits)
                }
            }
        }
    }

    /// How many events of a long list are stored: the next trimming would let the others go.
    func keptEvents(of session: SessionID) -> Int {
        isRegistered(session) ? .max : configuration.retention.mostUnacknowledged
    }

    /// Whether an app is registered for a session, and will take its events.
    private func isRegistered(_ session: SessionID) -> Bool { queue.apps.contains(session) }

    /// Trims again after every thousand outcomes, so that a daemon that never rests stays small too.
    func noteOutcome() async {
        guard upkeep.countOutcome() else { return }
        // The outcome is stored, whatever becomes of old events.
        do throws(ServiceError) { try await trimEvents() } catch {
            if !isShuttingDown { noteFailure(error) }
        }
    }
}

/// The memory of a process that lives for weeks and works now and then.
package enum ProcessMemory {
    /// Keeps what threads free where others find it: by its own rule the C library makes eight arenas for each processor,
    /// and memory that one of them has is no other one's. Call first thing.
    package static func limit() { ferry_limit_arenas(4) }

    /// Gives back what the last work has left, and the pages of the program that nothing needs now; returns at once.
    package static func giveBack() { DispatchQueue.global(qos: .utility).async { ferry_give_memory_back() } }
}

/// The threads of the daemon's process.
package enum ProcessThreads {
    /// Threads for event loops, Swift's own pool, disks and names, as a few transfers need them.
    package static let least = 24 + 2 * ProcessInfo.processInfo.activeProcessorCount

    /// Whether the system gives so many more threads at the moment. NIO ends the process, and Swift waits for ever, where it does
    /// not, so ask before anything else runs.
    package static func areAvailable(_ count: Int = least) -> Bool { BlockingThread.areAvailable(count) }
}
