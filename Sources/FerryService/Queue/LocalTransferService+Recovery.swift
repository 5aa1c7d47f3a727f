// Ferry: FerryService
// Taking up what an earlier process left.

import FerryCore
import FerryEngine
import FerryStore
import Foundation
import Logging

extension LocalTransferService {
    /// Puts every transfer that is to run back in line, and ends what was being canceled.
    func recover() async throws(TransferError) {
        let end = lastID ?? TransferID(rawValue: 0)
        let found = try await journal.read { reader throws(TransferError) in try Found(reader, end: end) }
        for session in found.sessions { sessionStates[session.id] = SessionState(settings: session.settings) }
        try await recoverSessions()
        lineUp(found.timed)
        takeLines(found.lines)
        lookAhead()
        for session in found.sessions where !session.order.isEmpty {
            try await takeOrdered(session.order, of: session.id)
            setOrder(session.order, of: session.id)
        }
        try await recoverRemovals()
        for record in found.canceling where !record.intent.isRemoval { try await cleanUp(record) }
        try await sweep(olderThan: 0)
        if !found.timed.isEmpty || !found.lines.isEmpty { logger.notice("taking up transfers") }
        settleSessions()
        schedule()
        // Long lists of events that nobody wants hold nothing up.
        Task(name: "trimming of events") {
            do throws(TransferError) { try await trimEvents() } catch {
                if !isShuttingDown { noteFailure(error) }
            }
        }
    }

    /// What a start needs to know; of those who only wait, the first of each line.
    private struct Found: Sendable {
        /// Those that wait for a moment of their own, or which cannot be read.
        var timed: [PendingTransfer] = []
        var lines: [(line: StoredLine, ids: [TransferID])] = []
        var canceling: [TransferRecord] = []
        var sessions: [(id: SessionID, settings: SessionSettings, order: [TransferID])] = []

        init(_ reader: JournalReader, end: TransferID) throws(TransferError) {
            try reader.forEachPending(timed: true) { timed.append($0) }
            let (stored, unreadable) = try reader.lines()
            for line in stored {
                let ids = try reader.ids(in: line, after: nil, through: end, limit: lineWindow)
                lines.append((line, ids))
            }
            timed += try reader.pending(unreadable)
            canceling = try reader.unfinishedCleanups()
            for session in try reader.storedSessions() {
                sessions.append((session.id, session.settings, try reader.order(of: session.id)))
            }
        }
    }

    private func cleanUp(_ record: TransferRecord) async throws(TransferError) {
        if record.outcome == nil, record.intent == .cancel { return try await finishCancel(record) }
        if record.facts.placement?.formerPath != nil { return try await recoverName(of: record) }
        guard let partial = record.facts.partial, let outcome = record.outcome else { return }
        // What was quit is continued from its bytes.
        if outcome == .canceled, record.facts.cancelReason != nil, !isOutdated(record) { return }
        if case .failed(let error) = outcome, error.kept(with: record.facts) != .none, !isOutdated(record) { return }
        try await engine.removePartialFile(partial)
        var record = record
        record.facts.partial = nil
        record.facts.ranges.removeAll()
        let cleaned = record
        try await journal.commit { transaction throws(TransferError) in
            try transaction.updateFacts(cleaned.id, cleaned.facts)
        }
    }

    /// Whether a failed transfer has kept its bytes long enough (spec T13).
    private func isOutdated(_ record: TransferRecord) -> Bool {
        record.finishedAt.map { Date().timeIntervalSince($0) > 30 * 86_400 } ?? false
    }
}
