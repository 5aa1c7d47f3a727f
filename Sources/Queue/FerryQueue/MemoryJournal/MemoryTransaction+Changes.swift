import FerryCore
import FerryRules
import FerryFoundation

/// Changing rows.
extension MemoryTransaction {
    func insert(_ record: TransferRecord) throws(ServiceError) {
        guard rows[record.id] == nil else {
            throw ServiceError(.internal, "A change does not fit the journal: the id \(record.id) is taken.")
        }
        let row = MemoryRow(record, destination: record.facts.destination)
        try checkIsFree(row.destination, for: record.id)
        rows.set(row, of: record.id)
    }

    func insert(_ row: BatchRow, like template: BatchTemplate, destination: String?) throws(ServiceError) -> Bool {
        guard rows[row.id] == nil, destination.map(rows.holder(of:)) ?? nil == nil else { return false }
        var record = Self.record(row.id, like: template.value, url: row.url, row.credentials)
        record.request.file.folder = row.folder
        if let name = row.name { record.request.file.name = name }
        if let data = row.data { record.request.note?.data = data }
        record.facts.destination = destination
        rows.set(MemoryRow(record, origin: row.origin, destination: destination), of: row.id)
        return true
    }

    func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(ServiceError) -> EventRun {
        try urls.forEach { place, url, origin, credentials throws(ServiceError) in
            let record = Self.record(first.advanced(by: place), like: template.value, url: url, credentials)
            rows.set(MemoryRow(record, origin: origin, destination: nil), of: record.id)
        }
        let run = EventRun(
            kind: .submitted, session: session, at: moment, first: log.last + 1,
            ids: (0..<urls.count).map(first.advanced))
        let kept = run.ids.suffix(max(0, keptEvents))
        log.skip(run.ids.count - kept.count)
        for id in kept { _ = log.append(run.kind, at: moment, id, session, nil) }
        return run
    }

    /// Creates the record of a new transfer from a template.
    private static func record(
        _ id: TransferID, like template: TransferRecord, url: String, _ credentials: Credentials?
    ) -> TransferRecord {
        var request = template.request
        request.url = url
        var record = TransferRecord(
            id: id, createdAt: template.createdAt, request: request, credentials: credentials)
        record.intent = template.intent
        record.facts = template.facts
        record.failures = template.failures
        record.active = template.active
        record.attempts = template.attempts
        return record
    }

    func update(_ record: TransferRecord) throws(ServiceError) -> Bool {
        guard let old = row(of: record) else { return false }
        let row = MemoryRow(record, inPlaceOf: old, destination: record.facts.destination)
        try checkIsFree(row.destination, for: record.id)
        rows.set(row, of: record.id)
        return true
    }

    func updateFacts(of record: TransferRecord) throws(ServiceError) -> Bool {
        guard let old = row(of: record) else { return false }
        set(record.facts, of: old, destination: old.destination)
        return true
    }

    /// Returns the row that a record was read from, or `nil` if it was removed or changed.
    private func row(of record: TransferRecord) -> MemoryRow? {
        guard let row = rows[record.id], row.record.revision == record.revision else { return nil }
        return row
    }

    func updateFacts(_ id: TransferID, _ facts: StoredFacts) throws(ServiceError) -> Bool {
        guard let old = rows[id], old.isLive else { return false }
        set(facts.value, of: old, destination: old.destination)
        return true
    }

    func claimDestination(_ path: String, for id: TransferID) throws(ServiceError) -> Bool {
        guard let old = rows[id], old.isLive, rows.holder(of: path) ?? id == id else { return false }
        rows.set(MemoryRow(old.record, inPlaceOf: old, destination: path, isCheckpoint: true), of: id)
        return true
    }

    func claimDestination(
        _ path: String, for id: TransferID, recording facts: StoredFacts
    ) throws(ServiceError) -> Bool {
        guard let old = rows[id], old.isLive, rows.holder(of: path) ?? id == id else { return false }
        set(facts.value, of: old, destination: path)
        return true
    }

    private func set(_ facts: TransferFacts, of old: MemoryRow, destination: String?) {
        var record = old.record
        record.facts = facts
        rows.set(MemoryRow(record, inPlaceOf: old, destination: destination, isCheckpoint: true), of: old.id)
    }

    func delete(_ id: TransferID) throws(ServiceError) -> Bool {
        guard rows[id] != nil else { return false }
        rows.set(nil, of: id)
        return true
    }

    private func checkIsFree(_ path: String?, for id: TransferID) throws(ServiceError) {
        guard let path, let holder = rows.holder(of: path), holder != id else { return }
        throw ServiceError(
            .destinationExists, "Transfer \(holder) already goes to “\(path.escapingControls)”; choose another name.")
    }

    // MARK: Completion

    func finish(_ end: StoredEnd) throws(ServiceError) -> Int64? {
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
        return log.append(end.value.kind, at: end.value.at, ended.id, old.session, end.value.snapshot)
    }

    func forget(_ ids: [TransferID], of session: SessionID, at now: Date) throws(ServiceError) -> EventRun {
        for id in ids { _ = try delete(id) }
        return try appendEvents(kind: .removed, at: now, ids: ids, session: session)
    }

    // MARK: Secrets

    func forgetSecrets(
        in phase: JournalPhase, endedBefore moment: Date?, after id: TransferID
    ) throws(ServiceError) -> TransferID? {
        let ids = rows.withSecrets(in: phase, endedBefore: moment, after: id, limit: 100)
        for id in ids {
            guard let old = rows[id] else { continue }
            var record = old.record
            record.forgetSecrets()
            rows.set(MemoryRow(record, inPlaceOf: old, destination: nil), of: id)
        }
        return ids.last
    }
}
