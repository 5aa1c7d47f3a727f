import FerryCore
import Foundation
import Logging

/// Taking up what an earlier process left.
extension LocalTransferService {
    /// Puts every transfer that is to run back in line; what is left on disk is looked at meanwhile.
    func recover() async throws(ServiceError) {
        await failSuspects()
        let end = queue.ids.last
        let found = try await journal.read { reader throws(ServiceError) in try Found(reader, end: end) }
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
        schedule()
        // The service is open from here on: folders that hang, long lists of events, and secrets and rows of
        // an earlier version's journal hold nothing up.
        beginTrial()
        Task(name: "trimming of events and secrets") {
            do throws(ServiceError) {
                try await trimEvents()
                try await forgetOldSecrets()
                try await completeOldRows()
            } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    /// What a start needs to know; of the transfers that only wait for a slot, the first of each line.
    private struct Found: Sendable {
        /// Transfers that wait for a moment of their own, or whose line cannot be read.
        var timed: [PendingTransfer] = []
        var lines: [(line: StoredQueueKey, ids: [TransferID])] = []
        var sessions: [(id: SessionID, settings: SessionSettings, order: [TransferID])] = []

        init(_ reader: any JournalReader, end: TransferID) throws(ServiceError) {
            try reader.forEachPending(.timed) { timed.append($0) }
            let (stored, unreadable) = try reader.lines()
            for line in stored {
                let ids = try reader.ids(in: line, after: nil, through: end, limit: Queue.lineWindow)
                lines.append((line, ids))
            }
            timed += try reader.pending(unreadable)
            for session in try reader.storedSessions() {
                sessions.append((session.id, session.settings, try reader.order(of: session.id)))
            }
        }
    }
}
