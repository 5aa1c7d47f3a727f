import FerryCore
import FerryQueue
import Foundation
import Logging

/// Restoring transfers at startup.
extension LocalTransferService {
    /// Queues every unfinished transfer. Leftover files are cleaned up concurrently.
    func recover() async throws(ServiceError) {
        await failSuspects()
        let (end, window) = (queue.ids.last, configuration.lineWindow)
        let found = try await journal.read { reader throws(ServiceError) in try Found(reader, end: end, window: window)
        }
        take(.recovered(found.sessions.map { ($0.id, $0.settings) }))
        try await recoverSessions()
        enqueue(found.timed)
        take(.stored(found.lines))
        take(.lookAhead)
        for session in found.sessions where !session.order.isEmpty {
            try await takeOrdered(session.order, of: session.id)
            take(.order(session.id, session.order))
        }
        try await recoverNames()
        if !found.timed.isEmpty || !found.lines.isEmpty { logger.notice("taking up transfers") }
        settleSessions()
        take(.opened)
        // The service is open from here on. Hanging folders, long event lists and forgotten secrets do not
        // delay it.
        beginTrial()
        Task(name: "trimming of events and secrets") {
            do throws(ServiceError) {
                try await trimEvents()
                try await forgetOldSecrets()
            } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    /// The journal's contents needed at startup. Of transfers that only wait for a slot, it has the first of each
    /// queue.
    private struct Found: Sendable {
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
