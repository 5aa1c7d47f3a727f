import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Restoring transfers at startup.
extension LocalTransferService {
    /// Queues every unfinished transfer. Leftover files are cleaned up concurrently.
    func recover() async throws(ServiceError) {
        await failSuspects()
        let (end, window) = (queue.ids.last, configuration.lineWindow)
        let found = try await journal.read { reader throws(ServiceError) in
            try StoredTransfers(reader, end: end, window: window)
        }
        queue.take(.recovered(found.sessions.map { ($0.id, $0.settings) }))
        try await parts.apps.launches.recover()
        queue.enqueue(found.timed)
        queue.take(.stored(found.lines))
        queue.take(.lookAhead)
        for session in found.sessions where !session.order.isEmpty {
            try await queue.takeOrdered(session.order, of: session.id)
            queue.take(.order(session.id, session.order))
        }
        try await parts.cleanUps.recoverNames()
        if !found.timed.isEmpty || !found.lines.isEmpty { configuration.logger.notice("taking up transfers") }
        await parts.apps.launches.settle()
        queue.take(.opened)
        // The service is open from here on. Hanging folders, long event lists and forgotten secrets do not
        // delay it.
        beginTrial()
        Task(name: "trimming of events and secrets") { try? await self.parts.upkeep.trim() }
    }

    /// Fails the transfers that were active when traps ended the last daemons, so that all others continue.
    ///
    /// An outcome that cannot be stored is only logged, unless the journal has failed: it must not keep the daemon from
    /// starting.
    private func failSuspects() async {
        do throws(ServiceError) {
            for record in try await journal.records(of: life.mode.suspects) {
                var machine = TransferMachine(record)
                guard case .finish(let outcome) = machine.trapped() else { continue }
                _ = try await parts.ends.finish(machine.record, outcome)
            }
            life.suspectsFailed()
        } catch {
            configuration.logger.error(
                "transfers that were running at a crash continue", metadata: ["error": "\(error)"])
        }
    }

    /// Starts the trial period, then does the disk work that might end the process again. An alarm removes the mark if
    /// the process survives.
    private func beginTrial() {
        queue.setAlarm(.trialEnds, after: configuration.trial)
        // If no transfer was active at the traps, something else ended the daemon, possibly this work.
        guard life.mode != .afterTraps(atWork: []) else { return }
        cleanUp()
        Task(name: "sweep of the spool") { try? await self.parts.spool.sweep(madeBefore: self.life.startedAt) }
    }

    /// The journal's contents needed at startup. Of transfers that only wait for a slot, it has the first of each
    /// queue.
    private struct StoredTransfers: Sendable {
        /// Transfers that wait for a moment of their own, or with a queue that cannot be read.
        var timed: [PendingTransfer] = []
        var lines: [(line: StoredQueueKey, ids: [TransferID])] = []
        var sessions: [(id: SessionID, settings: SessionSettings, order: [TransferID])] = []

        init(_ reader: any JournalReader, end: TransferID, window: Int) throws(ServiceError) {
            try reader.forEachPending(.timed) { timed.append($0) }
            let (stored, unreadable) = try reader.lines()
            for line in stored {
                let ids = try reader.ids(in: line, after: nil, through: end, limit: window)
                lines.append((line, ids))
            }
            timed += try reader.pending(unreadable)
            for session in try reader.storedSessions() {
                sessions.append((session.id, session.settings, try reader.order(of: session.id)))
            }
        }
    }
}
