package import FerryCore
package import FerryQueue
package import FerryRules
package import Foundation
import GRDB

/// The changes of one commit body. Either all of them become durable, or none.
///
/// Changing a missing transfer does nothing and returns false. It may have been removed while its checkpoint was
/// pending, which must not undo the checkpoints of others.
package struct SQLiteTransaction: SQLiteReads, JournalTransaction {
    package let connection: JournalConnection

    /// Stores a new transfer, and reserves its destination if its facts name one.
    ///
    /// - Throws: `destination_exists` if another live transfer has reserved that path, `internal` if the id is taken.
    package func insert(_ record: TransferRecord) throws(ServiceError) {
        var arguments = try TransferColumns.arguments(record)
        arguments += [record.id.column, record.createdAt.journalMilliseconds]
        _ = try reserving(record.facts.destination, for: record.id) { () throws(ServiceError) in
            try connection.execute(TransferColumns.insert, arguments)
        }
        try connection.execute(TransferColumns.insertRequest, TransferColumns.requestArguments(record))
        try rows.insert(record.request.tags, of: record.id)
    }

    /// Replaces a transfer's row, except its id and creation time.
    ///
    /// A live transfer reserves the destination that its facts name, or none.
    /// - Returns: False, with nothing changed, if there is no such transfer or if its row has changed since the record
    ///   was read.
    /// - Throws: `destination_exists` if another live transfer has reserved that path.
    @discardableResult
    package func update(_ record: TransferRecord) throws(ServiceError) -> Bool {
        var arguments = try TransferColumns.arguments(record)
        arguments += [record.id.column, record.revision.number]
        let changed = try reserving(record.facts.destination, for: record.id) { () throws(ServiceError) in
            try connection.execute(TransferColumns.update, arguments)
        }
        guard changed == 1 else { return false }
        let request = try TransferColumns.requestArguments(record)
        if record.request.secretsForgotten {
            try connection.erasing { () throws(ServiceError) in
                _ = try connection.execute(TransferColumns.updateRequest, request)
            }
        } else {
            try connection.execute(TransferColumns.updateRequest, request)
        }
        try connection.execute("DELETE FROM transfer_tags WHERE id = ?", [record.id.column])
        try rows.insert(record.request.tags, of: record.id)
        return true
    }

    /// Stores a record's facts and leaves everything else unchanged, including the reservation.
    @discardableResult
    package func updateFacts(of record: TransferRecord) throws(ServiceError) -> Bool {
        let facts = try FactsColumns(record.facts)
        return try connection.execute(
            "UPDATE transfers SET facts = ?, has_partial = ?, restarts = ? WHERE id = ? AND revision = ?",
            [facts.text, facts.leavesWork, facts.restarts, record.id.column, record.revision.number]) == 1
    }

    /// Records the facts of an attempt. Has no effect on a finished transfer.
    @discardableResult
    package func updateFacts(_ id: TransferID, _ facts: StoredFacts) throws(ServiceError) -> Bool {
        let facts = try FactsColumns(of: facts)
        return try connection.execute(
            "UPDATE transfers SET facts = ?, has_partial = ?, restarts = ? WHERE id = ? AND phase < 3",
            [facts.text, facts.leavesWork, facts.restarts, id.column]) == 1
    }

    /// Deletes a transfer and keeps its events.
    @discardableResult
    package func delete(_ id: TransferID) throws(ServiceError) -> Bool {
        try deleteRequests([id])
        return try connection.execute("DELETE FROM transfers WHERE id = ?", [id.column]) == 1
    }

    /// Deletes requests. Call it before their transfers are deleted. Requests of failed transfers may contain secrets.
    func deleteRequests(_ ids: [TransferID]) throws(ServiceError) {
        let named = PageQuery.json(ids)
        let condition = "id IN (SELECT value FROM json_each(?))"
        let delete = { () throws(ServiceError) in
            _ = try connection.execute("DELETE FROM requests WHERE \(condition)", [named])
        }
        let secret = try connection.row(
            "SELECT 1 FROM transfers WHERE \(condition) AND secrets IS NOT 0 LIMIT 1", [named])
        if secret == nil { try delete() } else { try connection.erasing(delete) }
    }
}

// MARK: Forwarded calls

extension SQLiteTransaction {
    private var batches: BatchRows { BatchRows(connection: connection) }

    package func insert(
        _ row: BatchRow, like template: BatchTemplate, destination: String?
    ) throws(ServiceError) -> Bool {
        try batches.insert(row, like: template, destination: destination)
    }

    package func insert(
        _ urls: URLTable, like template: BatchTemplate, first: TransferID, session: SessionID, at moment: Date,
        keptEvents: Int
    ) throws(ServiceError) -> EventRun {
        try batches.insert(
            urls, like: template, first: first, session: session, at: moment, keptEvents: keptEvents)
    }

    @discardableResult
    package func appendEvent(
        kind: TransferEvent.Kind, at: Date, id: TransferID, session: SessionID, snapshot: Transfer?
    ) throws(ServiceError) -> Int64 {
        try log.append(kind: kind, at: at, id: id, session: session, snapshot: snapshot)
    }

    @discardableResult
    package func appendEvents(
        kind: TransferEvent.Kind, at: Date, ids: [TransferID], session: SessionID
    ) throws(ServiceError) -> EventRun {
        try log.append(kind: kind, at: at, ids: ids, session: session)
    }

    package func acknowledge(_ session: SessionID, through number: Int64) throws(ServiceError) {
        try log.acknowledge(session, through: number)
    }

    package func trimEvents(of session: SessionID, _ limits: EventRetention.Limits) throws(ServiceError) -> Bool {
        try log.trim(of: session, limits)
    }

    package func saveSettings(_ settings: ServiceSettings) throws(ServiceError) { try registry.save(settings) }

    package func saveSession(_ id: SessionID, _ settings: SessionSettings) throws(ServiceError) {
        try registry.save(id, settings)
    }

    package func noteTask(_ number: Int, of id: SessionID) throws(ServiceError) {
        try registry.noteTask(number, of: id)
    }

    package func saveOrder(_ ids: TransferIDRuns, of id: SessionID) throws(ServiceError) -> [TransferID] {
        let order = ids.selected(from: try transfers(of: id, among: nil))
        try registry.saveOrder(order, of: id)
        return order
    }

    package func saveCookies(_ cookies: TransferCookies, of id: SessionID) throws(ServiceError) {
        try registry.save(cookies, of: id)
    }

    package func saveApplication(_ name: String, _ record: ApplicationRecord) throws(ServiceError) {
        try registry.save(application: name, record)
    }

    package func saveRegistration(
        _ registration: SessionRegistration, of id: SessionID
    ) throws(ServiceError) {
        try registry.save(registration, of: id)
    }
}

/// Facts in stored form.
struct FactsColumns: Sendable {
    let text: String
    let leavesWork: Bool
    let restarts: Int

    init(_ facts: TransferFacts) throws(ServiceError) {
        text = try JournalJSON.text(facts)
        leavesWork = facts.leavesWork
        restarts = facts.restarts
    }

    /// Uses the form that was prepared before the transaction, if it is of this journal's type.
    init(of facts: StoredFacts) throws(ServiceError) {
        if let columns = facts.form as? FactsColumns {
            self = columns
        } else {
            try self.init(facts.value)
        }
    }
}
