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
            let sessions = try reader.sessions().map { ($0.id, $0.settings) }
            return (waiting, canceling, sessions)
        }
        for (id, settings) in sessions { sessionStates[id] = SessionState(settings: settings) }
        try await recoverSessions()
        let now = Date()
        for transfer in waiting {
            let key = QueueKey(
                session: transfer.session, origin: transfer.origin, priority: transfer.priority,
                network: transfer.network)
            let rest = transfer.retry?.rest(now: now) ?? 0
            if transfer.startsAfterRelaunch, relaunchRest(transfer.session) > rest {
                lineUp(
                    transfer.id, key, transfer.notBefore, after: relaunchRest(transfer.session), reason: .relaunch)
            } else {
                lineUp(transfer.id, key, transfer.notBefore, after: rest, reason: transfer.retry?.reason ?? .retry)
            }
            setResourceAlarm(transfer.id, transfer.resourceTimeout, transfer.active)
            if let deadline = transfer.deadline { setDeadline(deadline, of: transfer.id) }
        }
        for record in canceling { try await cleanUp(record) }
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
