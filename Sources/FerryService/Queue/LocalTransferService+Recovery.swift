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
        try await trimEvents()
        let (waiting, canceling, sessions) = try await journal.read { reader throws(TransferError) in
            var waiting: [PendingTransfer] = []
            try reader.forEachPending { waiting.append($0) }
            let canceling = try reader.unfinishedCleanups()
            var sessions: [(SessionID, SessionSettings, [TransferID])] = []
            for session in try reader.sessions() {
                sessions.append((session.id, session.settings, try reader.order(of: session.id)))
            }
            return (waiting, canceling, sessions)
        }
        for (id, settings, order) in sessions {
            sessionStates[id] = SessionState(settings: settings)
            if !order.isEmpty { setOrder(order, of: id) }
        }
        try await recoverSessions()
        lineUp(waiting)
        try await recoverRemovals()
        for record in canceling where !record.intent.isRemoval { try await cleanUp(record) }
        try await sweep(olderThan: 0)
        if !waiting.isEmpty {
            logger.notice("taking up transfers", metadata: ["count": "\(waiting.count)"])
        }
        settleSessions()
        schedule()
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
