import FerryCore
import Foundation

/// Ends of transfers.
extension MemoryTransaction {
    func finish(_ end: StoredEnd, kind: TransferEvent.Kind, at: Date) throws(TransferError) -> Int64? {
        let ended = end.value.record
        guard let old = rows[ended.id], old.record.revision == ended.revision else { return nil }
        var record = old.record
        record.intent = ended.intent
        record.outcome = ended.outcome
        record.finishedAt = ended.finishedAt
        record.facts = ended.facts
        record.failures = ended.failures
        record.attempts = ended.attempts
        record.retry = nil
        if ended.request.secretsForgotten {
            record.request = ended.request
            record.credentials = nil
        }
        rows.set(MemoryRow(record, inPlaceOf: old, destination: nil), of: ended.id)
        return log.append(kind, at: at, ended.id, old.session, end.value.snapshot)
    }

    func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(TransferError) -> EventRun {
        for id in ids { _ = try delete(id) }
        return try appendEvents(kind: .removed, at: now, ids: ids, session: session)
    }
}
