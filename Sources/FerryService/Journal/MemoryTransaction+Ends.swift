import FerryCore
import Foundation

/// Ends of transfers.
extension MemoryTransaction {
    func finish(_ end: StoredEnd, kind: TransferEvent.Kind, at: Date) throws(TransferError) -> Int64? {
        let ended = end.value.record
        guard let old = rows[ended.id], old.record.revision.number == ended.revision.number else { return nil }
        var record = old.record
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

    func finish(
        _ ended: TransferRecord, kind: TransferEvent.Kind, at: Date
    ) throws(TransferError) -> (number: Int64, shown: Transfer)? {
        guard let current = rows[ended.id]?.record, current.outcome == nil else { return nil }
        var finished = ended
        finished.request = current.request
        finished.credentials = current.credentials
        if current.intent.isRemoval { finished.intent = current.intent }
        if ended.outcome?.forgetsSecrets == true { finished.forgetSecrets() }
        let shown = Transfer(finished, live: .waiting(.slot))
        _ = try update(finished)
        return (log.append(kind, at: at, finished.id, finished.request.session, shown), shown)
    }

    func settle(_ tried: TransferRecord) throws(TransferError) -> Bool {
        guard let current = rows[tried.id]?.record, current.outcome == nil else { return false }
        var merged = tried
        merged.intent = current.intent
        merged.request = current.request
        merged.credentials = current.credentials
        merged.outcome = nil
        merged.active = current.active
        // A new address is asked at once.
        if current.request.hasOtherAddress(than: tried.request) { merged.retry = nil }
        return try update(merged)
    }

    func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(TransferError) -> EventRun {
        for id in ids { _ = try delete(id) }
        return try appendEvents(kind: .removed, at: now, ids: ids, session: session)
    }
}
