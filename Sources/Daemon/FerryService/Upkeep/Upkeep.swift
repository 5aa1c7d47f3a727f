import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

/// Maintenance of the journal: removes old events and secrets, and frees space while no transfer runs.
actor Upkeep {
    private let queue: LiveQueue
    private let journal: any Journal
    private let life: ServiceLife
    private let configuration: ServiceConfiguration
    /// The journal's revision at the last maintenance.
    private var tidied: UInt64?
    private var isPlanned = false
    /// Outcomes since old events were removed.
    private var outcomes = 0
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.unownedExecutor }

    /// Idle time before maintenance, in seconds.
    private static let rest = 30.0
    /// Number of outcomes after which events are trimmed, so that a daemon that is never idle stays small too.
    private static let outcomesPerTrimming = 1000

    init(_ queue: LiveQueue, journal: any Journal, life: ServiceLife, _ configuration: ServiceConfiguration) {
        self.queue = queue
        self.journal = journal
        self.life = life
        self.configuration = configuration
    }

    /// Whether no transfer runs and the service is not shutting down.
    private var isIdle: Bool { queue.running.isEmpty && !life.isEnding }

    /// Plans maintenance if no transfer runs and the journal has changed since the last one.
    func plan() {
        guard isIdle, !isPlanned, tidied != journal.revision else { return }
        isPlanned = true
        queue.setAlarm(.upkeep, after: Self.rest * configuration.delayScale)
    }

    /// Removes old events and secrets and frees space, as long as no transfer runs. One call at a time.
    func tidyUp() async {
        // Running transfers plan it again when they end.
        guard isIdle else {
            isPlanned = false
            return
        }
        let revision = journal.revision
        do throws(ServiceError) {
            try await trim()
            while isIdle, await journal.reclaim() {}
            if queue.running.isEmpty {
                tidied = revision
                await journal.releaseMemory()
                configuration.atRest()
            }
        } catch {
            // Failed work is not repeated until the journal has changed.
            tidied = revision
        }
        // Changes made meanwhile are handled by a new plan after this one.
        isPlanned = false
        plan()
    }

    /// Removes old events and secrets.
    func trim() async throws(ServiceError) {
        try await trimEvents()
        try await forgetOldSecrets()
    }

    /// Counts outcomes, and trims events after every thousand.
    func note(outcomes count: Int) {
        outcomes += count
        guard outcomes >= Self.outcomesPerTrimming else { return }
        outcomes = 0
        Task(name: "trimming of events") { try? await self.trimEvents() }
    }

    /// Discards secrets of finished transfers. Failed transfers keep theirs until their bytes are discarded too.
    /// Secrets that a user provided again to repeat a download are kept.
    func forgetOldSecrets() async throws(ServiceError) {
        let ends: [(JournalPhase, before: Date?)] = [
            (.succeeded, nil), (.canceled, nil), (.failed, queue.clock.wall.addingTimeInterval(-CleanUp.lifetime)),
        ]
        for (phase, moment) in ends {
            var last: TransferID? = TransferID(rawValue: 0)
            while let after = last, !life.isEnding {
                last = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    try transaction.forgetSecrets(in: phase, endedBefore: moment, after: after)
                }
            }
        }
    }

    // MARK: Unacknowledged events

    /// Removes events that are too old or too many.
    func trimEvents() async throws(ServiceError) {
        let now = queue.clock.wall
        let sessions = try await journal.read { reader throws(ServiceError) in try reader.sessionsWithEvents() }
        for session in sessions {
            let limits = configuration.retention.limits(isAcknowledged: queue.apps.contains(session), now: now)
            var hasMore = true
            while hasMore, !life.isEnding {
                hasMore = try await journal.commit(ofRunning: true) { transaction throws(ServiceError) in
                    try transaction.trimEvents(of: session, limits)
                }
            }
        }
    }
}
