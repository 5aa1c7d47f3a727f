import CFerrySystem
import Dispatch
import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Tracks whether maintenance is needed, and whether it is planned. Owned by the service.
struct Upkeep: Sendable {
    /// Idle time before maintenance, in seconds.
    static let rest = 30.0

    /// The journal's revision at the last maintenance.
    private var tidied: UInt64?
    private var isPlanned = false
    /// Outcomes since old events were removed.
    private var outcomes = 0
    /// Folders with files to remove.
    var folders = CleanUpQueue()
    /// Whether the spool folder has been opened.
    var isSpoolOpen = false

    /// Records that no transfer runs. Returns true if an alarm is to be set.
    mutating func plan(revision: UInt64) -> Bool {
        guard !isPlanned, tidied != revision else { return false }
        isPlanned = true
        return true
    }

    /// Records that the alarm was handled, or its work left to a later alarm.
    mutating func rang() { isPlanned = false }

    /// Counts outcomes. Returns true after every thousand.
    mutating func count(outcomes count: Int) -> Bool {
        outcomes += count
        guard outcomes >= 1000 else { return false }
        outcomes = 0
        return true
    }

    /// Records that maintenance is complete at a revision.
    mutating func isTidy(at revision: UInt64) { tidied = revision }
}

extension LocalTransferService {
    /// Plans maintenance if no transfer runs.
    func planUpkeep() {
        guard running.isEmpty, !isShuttingDown, upkeep.plan(revision: journal.revision) else { return }
        setAlarm(Alarm(due: clock.now + .wait(seconds: Upkeep.rest * configuration.delayScale), cause: .upkeep))
    }

    /// Discards secrets of finished transfers. Failed transfers keep theirs until their bytes are discarded too.
    /// Secrets that a user provided again to repeat a download are kept.
    func forgetOldSecrets() async throws(ServiceError) {
        let ends: [(JournalPhase, before: Date?)] = [
            (.succeeded, nil), (.canceled, nil), (.failed, clock.wall.addingTimeInterval(-CleanUp.lifetime)),
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

    /// Removes old events and secrets and frees space, as long as no transfer runs.
    func tidyUp() {
        // Running transfers plan it again when they end.
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
                // Failed work is not repeated until the journal has changed.
                upkeep.isTidy(at: revision)
                if !isShuttingDown { noteFailure(error) }
            }
            // One at a time: changes made meanwhile are handled by a new plan after this one.
            upkeep.rang()
            planUpkeep()
        }
    }

    // MARK: Unacknowledged events

    /// Removes events that are too old or too many.
    func trimEvents() async throws(ServiceError) {
        let now = clock.wall
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

    /// Returns how many events of a long list to store. The next trimming would remove the others.
    func keptEvents(of session: SessionID) -> Int {
        isRegistered(session) ? .max : configuration.retention.mostUnacknowledged
    }

    /// Whether an app is registered for a session and will take its events.
    private func isRegistered(_ session: SessionID) -> Bool { queue.apps.contains(session) }

    /// Trims events after every thousand outcomes, so that a daemon that is never idle stays small too.
    func note(outcomes count: Int) {
        guard upkeep.count(outcomes: count) else { return }
        Task(name: "trimming of events") {
            do throws(ServiceError) { try await self.trimEvents() } catch {
                if !self.isShuttingDown { self.noteFailure(error) }
            }
        }
    }
}

/// Memory use of a process that runs for weeks and is mostly idle.
package enum ProcessMemory {
    /// Limits the number of memory arenas, so that threads can reuse each other's freed memory. By default the C
    /// library creates eight arenas per processor, and memory in one cannot be used by another. Call it first.
    package static func limit() { ferry_limit_arenas(4) }

    /// Returns unused memory and program pages to the system. Returns at once.
    package static func giveBack() { DispatchQueue.global(qos: .utility).async { ferry_give_memory_back() } }
}

/// Threads of the daemon's process.
package enum ProcessThreads {
    /// Number of threads for event loops, Swift's pool, disks and name resolution with a few transfers.
    package static let least = 24 + 2 * ProcessInfo.processInfo.activeProcessorCount

    /// Whether the system grants this many more threads at the moment. Without them NIO aborts the process, and Swift
    /// waits forever, so check before anything else runs.
    package static func areAvailable(_ count: Int = least) -> Bool { BlockingThread.areAvailable(count) }
}
